import type { components } from "../../../document.gen";

/** A rule as its form holds it: what is typed for one condition stays while another is looked at. */

type Schemas = components["schemas"];
export type Rule = Schemas["AlertRule"];
export type Condition = Rule["condition"];
export type ConditionType = Condition["type"];
export type ZoneEvent = Extract<Condition, { type: "zone" }>["event"];
export type SystemMeasure = Extract<Condition, { type: "system" }>["what"];
type Severity = Rule["severity"];

export type Side = "above" | "below";

export interface Draft {
  name: string;
  severity: Severity;
  type: ConditionType;
  /** Of zones. */
  event: ZoneEvent;
  zones: "all" | "some";
  zoneIds: readonly string[];
  silence: number | null;
  knots: number | null;
  percent: number | null;
  station: string;
  level: number | null;
  levelSide: Side;
  what: SystemMeasure;
  amount: number | null;
  amountSide: Side;
  devices: "all" | "some";
  deviceIds: readonly string[];
  hold: number | null;
  cooldown: number | null;
  schedule: Rule["schedule"];
  targets: "default" | "some" | "none";
  targetIds: readonly string[];
  escalates: boolean;
  escalateAfter: number | null;
  escalateIds: readonly string[];
  message: string;
  /** The boats that it is handed to. */
  boxIds: readonly string[];
}

/** On which side of a bound a measure of the installation is bad, as a rule. */
export const SIDES: Record<SystemMeasure, Side> = {
  backup_age: "above",
  disk_free: "below",
  position_source: "above",
  vessel_source: "above",
  sync_backlog: "above",
  email_queue: "above",
};

export const EMPTY: Draft = {
  ...{ name: "", severity: "alarm", type: "zone", event: "exit", zones: "all", zoneIds: [] },
  ...{ silence: 3_600, knots: 12, percent: 20, station: "", level: null, levelSide: "above" },
  ...{ what: "disk_free", amount: null, amountSide: "below" },
  ...{ devices: "all", deviceIds: [], hold: 0, cooldown: 300, schedule: null },
  ...{
    targets: "default",
    targetIds: [],
    escalates: false,
    escalateAfter: 600,
    escalateIds: [],
    message: "",
    boxIds: [],
  },
};

/** A condition's own fields in a draft. */
function fromCondition(condition: Condition): Partial<Draft> {
  switch (condition.type) {
    case "zone": {
      const { event, geofence_ids: zoneIds } = condition;
      return { event, zoneIds, zones: zoneIds.length > 0 ? "some" : "all" };
    }
    case "silence":
      return { silence: condition.seconds };
    case "speed":
      return { knots: condition.above_knots };
    case "battery":
      return { percent: condition.below_percent };
    case "water_level": {
      const { station, above_cm, below_cm } = condition;
      return {
        station,
        level: above_cm ?? below_cm ?? null,
        levelSide: above_cm === undefined ? "below" : "above",
      };
    }
    case "system": {
      const { what, above, below } = condition;
      return { what, amount: above ?? below ?? null, amountSide: above === undefined ? "below" : "above" };
    }
    case "anchor":
      return {};
  }
}

export function draftOf(rule: Rule): Draft {
  const { name, severity, condition, device_ids, target_ids, schedule } = rule;
  return {
    ...EMPTY,
    ...{ name, severity, type: condition.type, schedule },
    ...fromCondition(condition),
    ...{ devices: device_ids.length > 0 ? "some" : "all", deviceIds: device_ids },
    ...{ hold: rule.hold_seconds, cooldown: rule.cooldown_seconds },
    targets: target_ids === null ? "default" : target_ids.length > 0 ? "some" : "none",
    targetIds: target_ids ?? [],
    escalates: rule.escalate_after_seconds !== null,
    escalateAfter: rule.escalate_after_seconds ?? EMPTY.escalateAfter,
    escalateIds: rule.escalate_target_ids ?? [],
    message: rule.message ?? "",
    boxIds: rule.box_ids,
  };
}

/** True for conditions of devices, and not of a station or of the installation. */
export const isOfDevices = ({ type }: Pick<Draft, "type">): boolean =>
  type !== "water_level" && type !== "system";

/** A number that a field has made sure of. */
const given = (value: number | null): number => value ?? 0;

function conditionOf(draft: Draft): Condition {
  const { type, event, zones, zoneIds, levelSide, amountSide, what, station } = draft;
  switch (type) {
    case "zone":
      return { type, event, geofence_ids: zones === "all" ? [] : [...zoneIds] };
    case "silence":
      return { type, seconds: given(draft.silence) };
    case "speed":
      return { type, above_knots: given(draft.knots) };
    case "battery":
      return { type, below_percent: given(draft.percent) };
    case "water_level": {
      const level = given(draft.level);
      return { type, station, ...(levelSide === "above" ? { above_cm: level } : { below_cm: level }) };
    }
    case "system": {
      const amount = given(draft.amount);
      return { type, what, ...(amountSide === "above" ? { above: amount } : { below: amount }) };
    }
    case "anchor":
      return { type };
  }
}

/** A draft as the API takes it. */
export function bodyOf(draft: Draft): Schemas["NewAlertRule"] {
  const { name, severity, devices, deviceIds, schedule, targets, targetIds, escalates, message } = draft;
  return {
    ...{ name: name.trim(), severity, schedule },
    condition: conditionOf(draft),
    device_ids: isOfDevices(draft) && devices === "some" ? [...deviceIds] : [],
    hold_seconds: given(draft.hold),
    cooldown_seconds: given(draft.cooldown),
    target_ids: targets === "default" ? null : targets === "none" ? [] : [...targetIds],
    escalate_after_seconds: escalates ? given(draft.escalateAfter) : null,
    escalate_target_ids: escalates ? [...draft.escalateIds] : null,
    message: message.trim() || null,
    box_ids: [...draft.boxIds],
  };
}

/**
 * The fields that a draft changes. Whoever sets devices, condition or targets answers for what the rule tells, so they are sent
 * only where they are others, or where the rule waits for somebody to say them anew.
 */
export function changesOf(rule: Rule, draft: Draft): Schemas["AlertRuleChange"] {
  const [before, after] = [bodyOf(draftOf(rule)), bodyOf(draft)];
  const isAwaited = (key: string) =>
    (rule.is_silent || rule.is_orphaned) && (key === "device_ids" || key === "condition");
  const changed = Object.entries(after).filter(
    ([key, value]) =>
      isAwaited(key) || JSON.stringify(before[key as keyof typeof before]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}
