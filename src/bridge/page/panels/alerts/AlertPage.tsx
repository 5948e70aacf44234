import type { JSX } from "preact";
import { alertChanges } from "../../alerts";
import { api, call, type Schemas } from "../../api";
import { OwnedNote } from "../../boxes";
import { inLanguages } from "../../language";
import { useStage } from "../../map/current";
import { to } from "../../route";
import { may, me } from "../../session";
import { Show, useLoaded } from "../../ui/loaded";
import { Facts, Panel, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { place } from "../../units";
import { Acknowledge } from "./Acknowledge";
import { Severity } from "./AlertList";
import { Deliveries, useProgress } from "./Deliveries";
import { drawPlace } from "./place";
import { headline, valueText, words } from "./words";

const texts = inLanguages({
  en: {
    title: "Alert",
    status: "State",
    device: "Device",
    zone: "Zone",
    rule: "Rule",
    watch: "Anchor watch",
    raised: "Raised",
    seen: "Last seen to hold",
    cleared: "Over",
    count: "Times",
    value: "Measured last",
    position: "Position",
    positionAt: "Time of the position",
    escalated: "Further targets told",
    corrected: "Positions that came late have overturned the crossing that raised this alert.",
    cares: "Acknowledged",
    by: { you: "by you", other: "by somebody else", key: "by a key of the installation" },
    byName: (name: string) => `by ${name}`,
    deliveries: "Who was told",
  },
  de: {
    title: "Alarm",
    status: "Stand",
    device: "Gerät",
    zone: "Zone",
    rule: "Regel",
    watch: "Ankerwache",
    raised: "Ausgelöst",
    seen: "Zuletzt festgestellt",
    cleared: "Vorbei",
    count: "Wie oft",
    value: "Zuletzt gemessen",
    position: "Position",
    positionAt: "Zeit der Position",
    escalated: "Weitere Empfänger benachrichtigt",
    corrected:
      "Positionen, die verspätet eintrafen, haben den Übertritt widerlegt, der diesen Alarm ausgelöst hat.",
    cares: "Bestätigt",
    by: { you: "von dir", other: "von jemand anderem", key: "von einem Schlüssel der Installation" },
    byName: (name: string) => `von ${name}`,
    deliveries: "Wer benachrichtigt wurde",
  },
});

type Alert = Schemas["AlertWithDeliveries"];

/** One alert: what holds, where, who cares, and who was told. */
export function AlertPage({ id }: { id: string }): JSX.Element {
  const loaded = useLoaded(
    async () => (await call(() => api.GET("/v1/alerts/{id}", { params: { path: { id } } }))).data,
    [id, alertChanges.value],
  );
  useProgress(loaded.data?.deliveries, loaded.reload);
  return (
    <Panel title={texts().title} back={to(["alerts", loaded.data?.status ?? "open"])}>
      <Show of={loaded}>{(alert) => <Shown alert={alert} onChanged={loaded.reload} />}</Show>
    </Panel>
  );
}

function Shown({ alert, onChanged }: { alert: Alert; onChanged: () => Promise<void> }): JSX.Element {
  const t = texts();
  const { latitude, longitude, device_id, device_name, rule_id, rule_name } = alert;
  useStage((stage) => drawPlace(stage, alert), [alert.id, latitude, longitude, alert.severity]);
  const device = device_id === null ? device_name : <a href={to(["devices", device_id])}>{device_name}</a>;
  const watch = device_id !== null && alert.condition === "anchor" && rule_id === null && (
    <a href={to(["anchor", device_id])}>{t.watch}</a>
  );
  const rule = rule_id === null ? null : <a href={to(["alerts", "rules", rule_id])}>{rule_name}</a>;
  return (
    <>
      <div class="alert-head">
        <Severity of={alert.severity} />
        <h2>{headline(alert)}</h2>
      </div>
      {alert.is_corrected && <p class="notice">{t.corrected}</p>}
      {alert.acknowledged_at !== null && <Acknowledged alert={alert} />}
      <Facts
        of={[
          [t.status, words().status[alert.status]],
          [t.device, device],
          [t.zone, alert.geofence_name],
          [t.rule, rule || watch || null],
          [t.value, valueText(alert)],
          [t.raised, <Ago key="raised" at={alert.raised_at} />],
          [t.cleared, alert.cleared_at && <Ago key="cleared" at={alert.cleared_at} />],
          [t.seen, alert.cleared_at === null ? <Ago key="seen" at={alert.last_seen_at} /> : null],
          [t.count, alert.count > 1 ? alert.count : null],
          [t.position, latitude === null || longitude === null ? null : place(latitude, longitude)],
          [t.positionAt, alert.position_at && <Ago key="position" at={alert.position_at} />],
          [t.escalated, alert.escalated_at && <Ago key="escalated" at={alert.escalated_at} />],
        ]}
      />
      <OwnedNote boxId={alert.box_id} />
      {alert.status === "open" && alert.box_id === null && may("alerts:write") && (
        <Section title={words().acknowledge}>
          <Acknowledge alert={alert} onDone={onChanged} />
        </Section>
      )}
      <Section title={t.deliveries}>
        <Deliveries of={alert.deliveries} names="target" onChanged={onChanged} />
      </Section>
    </>
  );
}

/** The one who cares, and their note. */
function Acknowledged({ alert }: { alert: Alert }): JSX.Element {
  const t = texts();
  const by = alert.acknowledged_by;
  const name = useLoaded(async () => {
    if (by === null || by === me.value?.id || !may("users:read")) return null;
    return (await call(() => api.GET("/v1/users/{id}", { params: { path: { id: by } } }))).data.username;
  }, [by]);
  const who = by === null ? t.by.key : by === me.value?.id ? t.by.you : t.by.other;
  return (
    <div class="notice">
      <p>
        {t.cares} {name.data ? t.byName(name.data) : who} ·{" "}
        <Ago at={alert.acknowledged_at ?? alert.raised_at} />
      </p>
      {alert.acknowledge_note && <p class="quoted">{alert.acknowledge_note}</p>}
    </div>
  );
}
