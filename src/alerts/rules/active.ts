import { eq } from "drizzle-orm";
import { db } from "../../kernel/db/connection";
import { afterCommit, afterOthersWrote, failedTransactions } from "../../kernel/db/transactions";
import { CONDITION_TYPES, type ConditionType, type StoredCondition, type ZoneEvent } from "../kinds";
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

/**
 * Notes, in its transaction, that a rule was made (`before` null), changed or deleted (`after` null). While that is not
 * committed the rules are read from the database where they are needed; after it, those in memory follow.
 */
export function ruleChanged(before: StoredRule | null, after: StoredRule | null): void {
  const known = index;
  index = null;
  afterCommit(() => {
    const isUnread = index === null && known !== null && known.failures === failedTransactions;
    index = isUnread ? changed(known, before, after) : null;
  });
}

/** Notes, in its transaction, that any number of rules were changed: they are read anew where they are needed. */
export function rulesChanged(): void {
  index = null;
  afterCommit(() => {
    index = null;
  });
}

function changed(of: Index, before: StoredRule | null, after: StoredRule | null): Index {
  if (before?.is_active) take(of, before);
  if (after?.is_active) put(of, after);
  of.version = ++version;
  return of;
}

afterOthersWrote(() => {
  index = null;
});

const empty = (): Rules<never> => ({ ofAll: [], ofDevice: new Map() });

function read(): Index {
  // A transaction that failed as a whole may have been read here before.
  if (index !== null && index.failures === failedTransactions) return index;
  const rules = Object.fromEntries(CONDITION_TYPES.map((type) => [type, empty()])) as unknown;
  const found: Index = {
    byId: new Map(),
    rules: rules as Index["rules"],
    ...{ version: ++version, failures: failedTransactions },
  };
  const rows = db.select().from(alertRules).where(eq(alertRules.is_active, true)).all();
  // Each comes behind the others of its kind, so that its place is found at once.
  for (const row of rows.toSorted((a, b) => rankOf(a) - rankOf(b))) put(found, row);
  index = found;
  return found;
}

/** The place of a rule among those of its type: of speed the lowest limit comes first, of batteries the highest. */
function rankOf({ condition }: StoredRule): number {
  switch (condition.type) {
    case "silence":
      return condition.seconds;
    case "speed":
      return condition.above_knots;
    case "battery":
      return -condition.below_percent;
    default:
      return 0;
  }
}

/** The lists that hold a rule; those that are not there yet are made. */
function listsOf({ rules }: Index, { condition, device_ids }: StoredRule): StoredRule[][] {
  const { ofAll, ofDevice } = rules[condition.type] as {
    ofAll: StoredRule[];
    ofDevice: Map<string, StoredRule[]>;
  };
  if (device_ids.length === 0) return [ofAll];
  return device_ids.map((id) => {
    const known = ofDevice.get(id) ?? [];
    ofDevice.set(id, known);
    return known;
  });
}

function put(of: Index, rule: StoredRule): void {
  of.byId.set(rule.id, rule);
  const rank = rankOf(rule);
  for (const list of listsOf(of, rule))
    list.splice(list.findLastIndex((each) => rankOf(each) <= rank) + 1, 0, rule);
}

function take(of: Index, rule: StoredRule): void {
  of.byId.delete(rule.id);
  const { ofDevice } = of.rules[rule.condition.type];
  for (const list of listsOf(of, rule)) {
    const at = list.findIndex(({ id }) => id === rule.id);
    if (at !== -1) list.splice(at, 1);
  }
  for (const id of rule.device_ids) if (ofDevice.get(id)?.length === 0) ofDevice.delete(id);
}

/** The active rules of a type. Those on speed begin with the lowest limit, those on batteries with the highest. */
export const rulesOf = <T extends ConditionType>(type: T): Rules<T> => read().rules[type];

/** True if there is any active rule: most positions look no further where there is none. */
export const hasRules = (): boolean => read().byId.size > 0;

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
