import type { JSX } from "preact";
import { api, call } from "../../../api";
import { to } from "../../../route";
import { Icon } from "../../../ui/icons";
import { Paged } from "../../../ui/paged";
import { Empty } from "../../../ui/panel";
import { Severity } from "../AlertList";
import { scheduleText } from "../ScheduleField";
import type { Rule } from "./draft";
import { mayEditRules } from "./rights";
import { conditionText, devicesText, words } from "./words";

/** The rules, newest first. */
export function RuleList(): JSX.Element {
  const t = words();
  const add = mayEditRules() && (
    <a class="button main" href={to(["alerts", "rules", "new"])}>
      <Icon name="add" />
      <span>{t.new}</span>
    </a>
  );
  const none = (
    <Empty icon="alerts" title={t.none}>
      <p>{t.noneHint}</p>
      {add}
    </Empty>
  );
  return (
    <Paged
      read={(page) => call(() => api.GET("/v1/alert-rules", { params: { query: { page } } }))}
      about={[]}
      none={none}
      actions={add}
      row={(rule) => <Row key={rule.id} rule={rule} />}
    />
  );
}

function Row({ rule }: { rule: Rule }): JSX.Element {
  const t = words();
  const { id, name, is_active, is_silent, is_orphaned, condition, schedule } = rule;
  const facts = [conditionText(condition), devicesText(rule), schedule && scheduleText(schedule)];
  const trouble = is_orphaned ? t.orphaned : is_silent ? t.silent : is_active ? null : t.off;
  return (
    <li>
      <a class="row" href={to(["alerts", "rules", id])}>
        <span class="row-main">
          <span class="row-title">{name}</span>
          <span class="hint">{facts.filter(Boolean).join(" · ")}</span>
        </span>
        {trouble ? <span class="tag">{trouble}</span> : <Severity of={rule.severity} />}
      </a>
    </li>
  );
}
