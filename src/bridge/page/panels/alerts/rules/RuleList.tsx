import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../../api";
import { to } from "../../../route";
import { Icon } from "../../../ui/icons";
import { Show, useLoaded } from "../../../ui/loaded";
import { Pages } from "../../../ui/pages";
import { Empty } from "../../../ui/panel";
import { Severity } from "../AlertList";
import { scheduleText } from "../ScheduleField";
import type { Rule } from "./draft";
import { mayEditRules } from "./rights";
import { conditionText, devicesText, words } from "./words";

/** The rules, newest first. */
export function RuleList(): JSX.Element {
  const t = words();
  const page = useSignal(1);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/alert-rules", { params: { query: { page: page.value } } })),
    [page.value],
  );
  const add = mayEditRules() && (
    <a class="button main" href={to(["alerts", "rules", "new"])}>
      <Icon name="add" />
      <span>{t.new}</span>
    </a>
  );
  return (
    <Show of={loaded}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty icon="alerts" title={t.none}>
            <p>{t.noneHint}</p>
            {add}
          </Empty>
        ) : (
          <>
            <div class="actions">{add}</div>
            <ul class="rows">
              {data.map((rule) => (
                <Row key={rule.id} rule={rule} />
              ))}
            </ul>
            <Pages
              pagination={pagination}
              onPage={(to) => {
                page.value = to;
              }}
            />
          </>
        )
      }
    </Show>
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
