import type { JSX } from "preact";
import { type Alert, alertChanges } from "../../alerts";
import { api, call } from "../../api";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { may } from "../../session";
import { Icon } from "../../ui/icons";
import { Paged } from "../../ui/paged";
import { Empty } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { headline, words } from "./words";

const texts = inLanguages({
  en: {
    none: {
      open: "No open alerts",
      acknowledged: "Nothing that somebody cares for",
      cleared: "No alerts so far",
    },
    hint: {
      open: "Whatever a rule or an anchor watch raises stands here until somebody acknowledges it.",
      acknowledged: "Alerts stand here once they are acknowledged, until what raised them is over.",
      cleared: "Alerts that are over stand here.",
    },
    rule: "Make a rule",
    times: (count: number) => `${count} times`,
    corrected: "overturned later",
  },
  de: {
    none: {
      open: "Keine offenen Alarme",
      acknowledged: "Nichts, worum sich jemand kümmert",
      cleared: "Bisher keine Alarme",
    },
    hint: {
      open: "Was eine Regel oder eine Ankerwache meldet, steht hier, bis es jemand bestätigt.",
      acknowledged: "Bestätigte Alarme stehen hier, bis ihr Anlass vorbei ist.",
      cleared: "Hier stehen Alarme, die vorbei sind.",
    },
    rule: "Regel anlegen",
    times: (count: number) => `${count}-mal`,
    corrected: "später widerlegt",
  },
});

/** Alerts of a status, newest first. */
export function AlertList({ status }: { status: Alert["status"] }): JSX.Element {
  const t = texts();
  const none = (
    <Empty icon="alerts" title={t.none[status]}>
      <p>{t.hint[status]}</p>
      {status === "open" && may("alerts:write") && (
        <a class="button" href={to(["alerts", "rules", "new"])}>
          {t.rule}
        </a>
      )}
    </Empty>
  );
  return (
    <Paged
      key={status}
      read={(page) => call(() => api.GET("/v1/alerts", { params: { query: { status, page } } }))}
      about={[status, alertChanges.value]}
      none={none}
      row={(alert) => <Row key={alert.id} alert={alert} />}
    />
  );
}

function Row({ alert }: { alert: Alert }): JSX.Element {
  const t = texts();
  const facts = [alert.rule_name, alert.count > 1 && t.times(alert.count), alert.is_corrected && t.corrected];
  return (
    <li>
      <a class="row" href={to(["alerts", alert.id])}>
        <span class="row-main">
          <span class="alert-line">
            <Severity of={alert.severity} />
            <Ago at={alert.raised_at} />
          </span>
          <span class="row-title">{headline(alert)}</span>
          <span class="hint">{facts.filter(Boolean).join(" · ")}</span>
        </span>
        <Icon name="next" />
      </a>
    </li>
  );
}

/** The severity of an alert, by a word and a form. */
export function Severity({ of }: { of: Alert["severity"] }): JSX.Element {
  return (
    <span class={`tag severity ${of}`}>
      <Icon name={of === "info" ? "alerts" : "warning"} size={16} />
      {words().severity[of]}
    </span>
  );
}
