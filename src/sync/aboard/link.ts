import { config } from "../../configuration/config";
import { Counter, counted, gauge, gauges } from "../../kernel/logs/metrics";
import { MINUTE, SECOND, steadyNow } from "../../kernel/time/clock";
import type { Bilingual } from "../../kernel/values/bilingual";
import { isMeteredNow } from "./settings";
import { traffic } from "./state";
import type { LaneBacklog } from "./transfer";

/** The state of the link to the shore, as the crew sees it: in health, in the metrics and by the doctor. */

/** Age from which failures are a fault that somebody should look at: a thin line cuts many a request. */
const FAULT_AGE = 5 * MINUTE;

/** The part of the worker that this module looks at. */
interface Sources {
  backlog: () => LaneBacklog[];
  acknowledged: () => Record<string, number>;
}

let sources: Sources | null = null;
/** The reason for which the last request failed, and when the first of those in turn did, by the steady clock. */
let trouble: { words: Bilingual; isRefused: boolean; since: number } | null = null;

/** Gives this module what it looks at; null at the end. */
export function setSources(next: Sources | null): void {
  sources = next;
  trouble = null;
}

/** Notes an answer. Returns true if requests had failed before it. */
export function noteAnswer(): boolean {
  const hadTrouble = trouble !== null;
  trouble = null;
  return hadTrouble;
}

/** Notes a failure. Returns true if it is the first, or the first of its kind. */
export function noteTrouble(words: Bilingual, isRefused = false): boolean {
  const before = trouble;
  trouble = { words, isRefused, since: before?.since ?? steadyNow() };
  return before === null || before.isRefused !== isRefused;
}

export interface LinkState {
  /** False once requests have failed for a while, and as soon as the shore refuses the token. */
  isUp: boolean;
  /** Epoch milliseconds; null for never. */
  lastContactAt: number | null;
  isMetered: boolean;
  bytesToday: number;
  lanes: LaneBacklog[];
  /** The reason why the last request failed; null if it didn't. */
  trouble: Bilingual | null;
}

/** The state of the link; null where no shore is configured. */
export function linkState(): LinkState | null {
  if (sources === null) return null;
  const isFault = trouble !== null && (trouble.isRefused || steadyNow() - trouble.since >= FAULT_AGE);
  return {
    isUp: !isFault,
    ...traffic(),
    isMetered: isMeteredNow(),
    lanes: sources.backlog(),
    trouble: trouble?.words ?? null,
  };
}

/** Rows that wait for the shore; null where none is configured. */
export const waitingRows = (): number | null =>
  sources?.backlog().reduce((sum, { rows }) => sum + rows, 0) ?? null;

// --- Figures ----------------------------------------------------------------------------------------------

/** A counter that shows only where there is a shore. */
function ofShore(name: string, help: string): Counter {
  const count = new Counter();
  counted(name, help, () => (config["sync.url"] === null ? null : count.value));
  return count;
}

export const counts = {
  requests: ofShore("fairlead_sync_requests_total", "Requests to the shore"),
  failures: ofShore("fairlead_sync_failures_total", "Requests to the shore that got no answer of use"),
  bytes: ofShore("fairlead_sync_bytes_total", "Bytes to and from the shore, heads included, at a guess"),
  refused: ofShore("fairlead_sync_refused_rows_total", "Rows that the shore has refused"),
  epochs: ofShore(
    "fairlead_sync_epochs_total",
    "Times that the transfer began anew or went on under another epoch",
  ),
};

gauge(
  "fairlead_sync_up",
  "1 unless requests to the shore have failed for five minutes or the token is refused",
  () => {
    const state = linkState();
    return state && Number(state.isUp);
  },
);
gauge("fairlead_sync_last_contact_timestamp_seconds", "When the shore answered last, Unix time", () => {
  const at = sources && traffic().lastContactAt;
  return at && at / SECOND;
});
gauge(
  "fairlead_sync_bytes_today",
  "Bytes to and from the shore today (UTC)",
  () => sources && traffic().bytesToday,
);

const ofLanes = (read: (lane: LaneBacklog) => number) => () =>
  (sources?.backlog() ?? []).map((lane): [{ lane: string }, number] => [{ lane: lane.lane }, read(lane)]);

gauges(
  "fairlead_sync_backlog_rows",
  "Rows that wait for the shore, by lane",
  ofLanes(({ rows }) => rows),
);
gauges(
  "fairlead_sync_backlog_bytes",
  "About the bytes that they will take",
  ofLanes(({ bytes }) => bytes),
);
gauges(
  "fairlead_sync_backlog_age_seconds",
  "Age of the oldest of them; 0 where none waits",
  ofLanes(({ ageSeconds }) => ageSeconds),
);
gauges("fairlead_sync_acknowledged", "Highest number that the shore holds without a gap, by lane", () =>
  Object.entries(sources?.acknowledged() ?? {}).map(([lane, number]) => [{ lane }, number]),
);
