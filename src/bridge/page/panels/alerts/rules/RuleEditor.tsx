import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../../api";
import { BoxChoice, ShoresNote } from "../../../boxes";
import { go, route, to } from "../../../route";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { FieldFault, Form, SelectField, TextField } from "../../../ui/form";
import { Show, useLoaded } from "../../../ui/loaded";
import { Panel } from "../../../ui/panel";
import { say } from "../../../ui/toasts";
import { common } from "../../../ui/words";
import { Severity } from "../AlertList";
import { scheduleText } from "../ScheduleField";
import { ConditionFields } from "./ConditionFields";
import { bodyOf, changesOf, type Draft, draftOf, EMPTY, isOfDevices, type Rule } from "./draft";
import { MessageField } from "./MessageField";
import { Devices, Escalation, Targets, Times } from "./RuleParts";
import { isByShares, mayDeleteRules, mayEditRules } from "./rights";
import { conditionText, devicesText, words } from "./words";

/** Makes a rule, or shows one to be changed. */
export function RuleEditor({ id }: { id: string | null }): JSX.Element {
  const t = words();
  const loaded = useLoaded(
    async () =>
      id === null
        ? "new"
        : (await call(() => api.GET("/v1/alert-rules/{id}", { params: { path: { id } } }))).data,
    [id],
  );
  return (
    <Panel title={id === null ? t.new : t.edit} back={to(["alerts", "rules"])}>
      <Show of={loaded}>
        {(rule) =>
          rule === "new" ? <Fields rule={null} /> : <Shown rule={rule} onChanged={loaded.reload} />
        }
      </Show>
    </Panel>
  );
}

function Shown({ rule, onChanged }: { rule: Rule; onChanged: () => Promise<void> }): JSX.Element {
  const t = words();
  const path = { id: rule.id };
  const toggle = async () => {
    await call(() =>
      api.PATCH("/v1/alert-rules/{id}", { params: { path }, body: { is_active: !rule.is_active } }),
    );
    await onChanged();
  };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/alert-rules/{id}", { params: { path } }));
        go(["alerts", "rules"], {}, true);
      },
    });
  return (
    <>
      {rule.is_silent && <p class="notice warn">{t.silentText}</p>}
      {rule.is_orphaned && <p class="notice warn">{t.orphanedText}</p>}
      <div class="split">
        <span class={`tag ${rule.is_active ? "good" : ""}`}>{rule.is_active ? common().on : t.off}</span>
        {mayEditRules() && !rule.is_orphaned && !rule.is_from_shore && (
          <Button onClick={toggle}>{rule.is_active ? t.switchOff : t.switchOn}</Button>
        )}
      </div>
      {rule.is_from_shore ? <Summary rule={rule} /> : <Fields rule={rule} />}
      {mayDeleteRules() && !rule.is_from_shore && (
        <Button kind="danger" icon="trash" onClick={remove}>
          {t.remove}
        </Button>
      )}
    </>
  );
}

/** A rule that is changed elsewhere, in words. */
function Summary({ rule }: { rule: Rule }): JSX.Element {
  const { name, condition, schedule, message } = rule;
  const facts = [conditionText(condition), devicesText(rule), schedule && scheduleText(schedule)];
  return (
    <>
      <ShoresNote isFromShore={rule.is_from_shore} />
      <div class="alert-head">
        <Severity of={rule.severity} />
        <h2>{name}</h2>
      </div>
      <p>{facts.filter(Boolean).join(" · ")}</p>
      {message && <p class="quoted">{message}</p>}
    </>
  );
}

export type SetDraft = (change: Partial<Draft>) => void;

/** The zone and the device that a new rule is asked for by the address, if any. */
function asked(): Partial<Draft> {
  const { query } = route.peek();
  const [zone, device] = [query.get("zone"), query.get("device")];
  return {
    ...(zone !== null && { zones: "some", zoneIds: [zone] }),
    ...(device !== null && { devices: "some", deviceIds: [device] }),
  };
}

function Fields({ rule }: { rule: Rule | null }): JSX.Element {
  const t = words();
  const isLimited = isByShares();
  const draft = useSignal<Draft>(
    rule ? draftOf(rule) : { ...EMPTY, ...(isLimited && { devices: "some", type: "silence" }), ...asked() },
  );
  const set: SetDraft = (change) => {
    draft.value = { ...draft.value, ...change };
  };
  const now = draft.value;
  const save = async () => {
    check(now);
    if (rule === null) await call(() => api.POST("/v1/alert-rules", { body: bodyOf(now) }));
    else {
      const body = changesOf(rule, now);
      if (Object.keys(body).length > 0)
        await call(() => api.PATCH("/v1/alert-rules/{id}", { params: { path: { id: rule.id } }, body }));
    }
    say(common().saved);
    go(["alerts", "rules"], {}, true);
  };
  return (
    <Form action={rule ? t.save : t.make} onSubmit={save}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={200}
        value={now.name}
        onInput={(name) => set({ name })}
      />
      <ConditionFields draft={now} set={set} />
      {isOfDevices(now) && <Devices draft={now} set={set} isLimited={isLimited} />}
      <SelectField
        label={t.severity}
        value={now.severity}
        options={(["alarm", "warning", "info"] as const).map((each) => [each, t.severities[each]] as const)}
        onChange={(severity) => set({ severity })}
      />
      <Targets draft={now} set={set} isLimited={isLimited} />
      {!isLimited && <Escalation draft={now} set={set} />}
      {now.type !== "anchor" && <MessageField draft={now} set={set} />}
      <Times draft={now} set={set} />
      <BoxChoice chosen={now.boxIds} onChange={(boxIds) => set({ boxIds })} />
    </Form>
  );
}

/** Finds what the browser's own checks of fields don't: an empty list would mean all. Throws a FieldFault. */
function check({
  type,
  zones,
  zoneIds,
  devices,
  deviceIds,
  station,
  targets,
  targetIds,
  ...draft
}: Draft): void {
  const t = words();
  const isEmpty = (choice: string, ids: readonly string[]) => choice === "some" && ids.length === 0;
  if (type === "zone" && isEmpty(zones, zoneIds)) throw new FieldFault(`${t.zones} ${t.chooseOne}`);
  if (type === "water_level" && station === "") throw new FieldFault(t.chooseStation);
  if (isOfDevices({ type }) && isEmpty(devices, deviceIds))
    throw new FieldFault(`${t.devices} ${t.chooseOne}`);
  if (isEmpty(targets, targetIds)) throw new FieldFault(t.chooseTarget);
  if (draft.escalates && draft.escalateIds.length === 0) throw new FieldFault(t.chooseTarget);
}
