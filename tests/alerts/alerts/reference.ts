import type { Place } from "../../tracking/support";

/**
 * The alerts that there must be, worked out from all positions anew at each step: nothing is kept but what people were told.
 * Times are epoch milliseconds, those of positions included.
 */

export interface ZoneModel {
  id: string;
  contains: (place: Place) => boolean;
  confirmFixes: number;
  dwellSeconds: number | null;
}

export interface RuleModel {
  id: string;
  condition:
    | { type: "zone"; event: "enter" | "exit" | "dwell"; zone: string }
    | { type: "speed"; above: number }
    | { type: "silence"; seconds: number };
  holdSeconds: number;
  cooldownSeconds: number;
}

export interface FixModel {
  place: Place;
  time: number;
  /** Knots. */
  speed: number;
}

export interface AlertModel {
  isOpen: boolean;
  count: number;
  clearedAt: number;
}

interface Side {
  isInside: boolean;
  hasDwelled: boolean;
  /** True outside of a zone in which the device was before. */
  hasLeft: boolean;
}

const NOWHERE: Side = { isInside: false, hasDwelled: false, hasLeft: false };

/** A position that is older when it arrives raises nothing by itself. */
const OLDEST = 600_000;

/** The alerts of one device. */
export class Reference {
  readonly #zones: ZoneModel[];
  readonly #rules: RuleModel[];
  /** By rule, oldest first. */
  readonly alerts = new Map<string, AlertModel[]>();
  /** Since when a rule's condition holds without an alert. */
  readonly #since = new Map<string, number>();
  /** All positions, in order of their times. */
  #fixes: FixModel[] = [];
  /** The sides at the last position that tells by itself. */
  #told = new Map<string, Side>();
  #arrivedAt: number | null = null;

  constructor(zones: ZoneModel[], rules: RuleModel[]) {
    this.#zones = zones;
    this.#rules = rules;
  }

  /** Takes positions that arrive together: in order of their times, and either all late or none. */
  take(fixes: FixModel[], now: number): void {
    this.#arrivedAt = now;
    for (const rule of this.#rules) if (rule.condition.type === "silence") this.#end(rule, now);
    for (const fix of fixes) {
      const isLate = fix.time < (this.#fixes.at(-1)?.time ?? Number.NEGATIVE_INFINITY);
      this.#fixes = [...this.#fixes, fix].sort((a, b) => a.time - b.time);
      if (!isLate && now - fix.time <= OLDEST) this.#tell(fix, now);
    }
  }

  /** Lets time pass, with a server that watches. */
  watch(now: number): void {
    for (const rule of this.#rules) {
      const { condition } = rule;
      if (condition.type === "silence" && this.#isSilent(condition.seconds, now)) this.#begin(rule, now);
      const since = this.#since.get(rule.id);
      if (since === undefined || now - since < rule.holdSeconds * 1_000) continue;
      const side = condition.type === "zone" ? this.#sideAt(condition.zone) : null;
      // It has never been inside, as late positions tell.
      if (side && !side.isInside && !side.hasLeft) this.#end(rule, now);
      else if (condition.type !== "zone" || !side || this.#holds(condition, side)) this.#raise(rule, now);
    }
  }

  /** The time at which the device is silent for a rule; null before its first position. */
  silentAt(seconds: number): number | null {
    return this.#arrivedAt === null ? null : this.#arrivedAt + seconds * 1_000;
  }

  #isSilent(seconds: number, now: number): boolean {
    const at = this.silentAt(seconds);
    return at !== null && at <= now;
  }

  #tell({ speed }: FixModel, now: number): void {
    for (const rule of this.#rules) {
      const { condition } = rule;
      if (condition.type === "speed") {
        if (speed > condition.above) this.#begin(rule, now);
        else this.#end(rule, now);
      }
      if (condition.type !== "zone") continue;
      const before = this.#told.get(condition.zone) ?? NOWHERE;
      const after = this.#sideAt(condition.zone);
      const [held, holds] = [this.#holds(condition, before), this.#holds(condition, after)];
      // A zone that the device never was in is not told as left.
      if (holds && !held && (after.isInside || after.hasLeft)) this.#begin(rule, now);
      if (held && !holds) this.#end(rule, now);
    }
    this.#told = new Map(this.#zones.map(({ id }) => [id, this.#sideAt(id)]));
  }

  #holds({ event }: { event: "enter" | "exit" | "dwell" }, { isInside, hasDwelled }: Side): boolean {
    return { enter: isInside, exit: !isInside, dwell: hasDwelled }[event];
  }

  /** The side of a zone after all positions, in order of their times. */
  #sideAt(id: string): Side {
    const zone = this.#zones.find((each) => each.id === id) as ZoneModel;
    let since: number | null = null;
    let hasDwelled = false;
    let wasInside = false;
    let others: FixModel[] = [];
    for (const fix of this.#fixes) {
      const isOther = zone.contains(fix.place) !== (since !== null);
      others = isOther ? [...others, fix] : [];
      if (others.length >= zone.confirmFixes) {
        since = since === null ? (others[0]?.time ?? null) : null;
        hasDwelled = false;
        wasInside = true;
        others = [];
      }
      const stays = since !== null && others.length === 0;
      if (stays && zone.dwellSeconds !== null && fix.time - (since ?? 0) >= zone.dwellSeconds * 1_000)
        hasDwelled = true;
    }
    return { isInside: since !== null, hasDwelled, hasLeft: since === null && wasInside };
  }

  #last(rule: RuleModel): AlertModel | undefined {
    return this.alerts.get(rule.id)?.at(-1);
  }

  #begin(rule: RuleModel, now: number): void {
    if (this.#last(rule)?.isOpen) return;
    const since = this.#since.get(rule.id) ?? now;
    this.#since.set(rule.id, since);
    if (now - since >= rule.holdSeconds * 1_000) this.#raise(rule, now);
  }

  #end(rule: RuleModel, now: number): void {
    this.#since.delete(rule.id);
    const last = this.#last(rule);
    if (last?.isOpen) Object.assign(last, { isOpen: false, clearedAt: now });
  }

  #raise(rule: RuleModel, now: number): void {
    this.#since.delete(rule.id);
    const last = this.#last(rule);
    if (last && now - last.clearedAt < rule.cooldownSeconds * 1_000) {
      last.isOpen = true;
      last.count++;
    } else this.alerts.set(rule.id, [...(this.alerts.get(rule.id) ?? []), fresh()]);
  }
}

const fresh = (): AlertModel => ({ isOpen: true, count: 1, clearedAt: 0 });
