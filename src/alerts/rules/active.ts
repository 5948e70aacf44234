import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { afterCommit, afterOthersWrote, failedTransactions } from "../../kernel/db/transactions";
import type { ConditionType, StoredCondition, ZoneEvent } from "../kinds";
import { alertRules, type StoredRule } from "./table";

/** The active rules in memory, as positions and the clock look for them. */

type ConditionOf<T extends ConditionType> = Extract<StoredCondition, { type: T }>;

/** A rule with a condition of a type. */
export type RuleOf<T extends ConditionType> = StoredRule & { condition: ConditionOf<T> };

/** Rules of one type: those of all devices, and those of some, by device. */
export interface Rules<T extends ConditionType> {
  ofAll: RuleOf<T>[];
  ofDevice: Map<string, RuleOf<T>[]>;
}

interface Index {
  rules: { [T in ConditionType]: Rules<T> };
  byId: Map<string, StoredRule>;
  /** Grows with each reading. */
  version: number;
  /** See `failedTransactions`. */
  failures: number;
}

let index: Index | null = null;
let version = 0;

/** Called by all that changes a rule, in its transaction. */
export function rulesChanged(): void {
  index = null;
  afterCommit(() => {
    index = null;
  });
}

afterOthersWrote(() => {
  index = null;
});

function read(): Index {
  // A transaction that failed as a whole may have been read here before.
  if (index !== null && index.failures === failedTransactions) return index;
  const rows = db.select().from(alertRules).where(eq(alertRules.is_active, true)).all();
  const rulesOf = <T extends ConditionType>(type: T, order?: (rule: RuleOf<T>) => number): Rules<T> => {
    const found = rows.filter(({ condition }) => condition.type === type) as RuleOf<T>[];
    if (order) found.sort((a, b) => order(a) - order(b));
    const ofDevice = new Map<string, RuleOf<T>[]>();
    for (const rule of found)
      for (const id of rule.device_ids) {
        const known = ofDevice.get(id);
        if (known) known.push(rule);
        else ofDevice.set(id, [rule]);
      }
    return { ofAll: found.filter(({ device_ids }) => device_ids.length === 0), ofDevice };
  };
  version++;
  index = {
    byId: new Map(rows.map((rule) => [rule.id, rule])),
    rules: {
      zone: rulesOf("zone"),
      silence: rulesOf("silence", ({ condition }) => condition.seconds),
      speed: rulesOf("speed", ({ condition }) => condition.above_knots),
      battery: rulesOf("battery", ({ condition }) => -condition.below_percent),
      anchor: rulesOf("anchor"),
      water_level: rulesOf("water_level"),
      system: rulesOf("system"),
    },
    ...{ version, failures: failedTransactions },
  };
  return index;
}

/** The active rules of a type. Those on speed begin with the lowest limit, those on batteries with the highest. */
export const rulesOf = <T extends ConditionType>(type: T): Rules<T> => read().rules[type];

/** An active rule by its identifier; undefined if there is none. */
export const activeRule = (id: string): StoredRule | undefined => read().byId.get(id);

/** A number that stays the same while no rule is changed. */
export const rulesVersion = (): number => read().version;

const NONE: never[] = [];

/** The active rules of a type that watch a device: two lists, each in its order. */
export const rulesFor = <T extends ConditionType>(
  type: T,
  deviceId: string,
): readonly [ofAll: RuleOf<T>[], ofDevice: RuleOf<T>[]] => {
  const { ofAll, ofDevice } = rulesOf(type);
  return [ofAll, ofDevice.get(deviceId) ?? NONE];
};

/** The active rules that wait for a crossing of a zone by a device. */
export const zoneRulesFor = (deviceId: string, event: ZoneEvent, zoneId: string): RuleOf<"zone">[] =>
  rulesFor("zone", deviceId).flatMap((rules) =>
    rules.filter(
      ({ condition }) =>
        condition.event === event &&
        (condition.geofence_ids.length === 0 || condition.geofence_ids.includes(zoneId)),
    ),
  );

/** True if any active rule on zones watches a device. */
export const hasZoneRules = (deviceId: string): boolean =>
  rulesFor("zone", deviceId).some((rules) => rules.length > 0);
