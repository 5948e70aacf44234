import { MINUTE, SECOND } from "../../kernel/time/clock";

/**
 * The times at which a box asks the shore: a machine of states without a clock, a database or a network. All times are those of a
 * steady clock, in milliseconds. Pure.
 */

/** The measured line. */
export interface Line {
  /** Bytes of a request that take about a second. */
  limit: number;
  /** Milliseconds that an answer takes whatever the request holds. */
  latency: number;
  /** Milliseconds that a byte takes; null until requests of several sizes were answered. */
  perByte: number | null;
  /** Null before the first answer. */
  seen: Seen | null;
}

/** The requests of late: means of their sizes and times, and how these vary. */
interface Seen {
  bytes: number;
  elapsed: number;
  variance: number;
  covariance: number;
  answers: number;
}

export interface Machine {
  phase:
    | { name: "resting" }
    | { name: "asking"; since: number; bytes: number; hasAlert: boolean }
    /** Without a link, or told to wait. `isRefused`: the shore doesn't want this box. */
    | { name: "pausing"; until: number; isRefused: boolean };
  /** Requests in turn that failed. */
  failures: number;
  /** Requests in turn that had nothing to tell. */
  quiet: number;
  /** The beginning of the last request; null before the first. */
  askedAt: number | null;
  line: Line;
}

/** All that waits to be told. */
export interface Waiting {
  alert: boolean;
  /** Something waits, be it little. */
  some: boolean;
  /** So much waits that a request would be full. */
  much: boolean;
}

export const NOTHING: Waiting = { alert: false, some: false, much: false };

/** Bytes of the first request, and bounds of all. */
const FIRST_LIMIT = 8 * 1024;
export const LEAST_LIMIT = 1024;
export const MOST_LIMIT = 256 * 1024;

export const START: Machine = {
  phase: { name: "resting" },
  failures: 0,
  quiet: 0,
  askedAt: null,
  line: { limit: FIRST_LIMIT, latency: 0, perByte: null, seen: null },
};

/** Longest pauses between requests: without news or a link, and with an alert that waits. */
export const LONGEST_PAUSE = 15 * MINUTE;
export const ALERT_PAUSE = 10 * SECOND;
const FIRST_PAUSE = 5 * SECOND;
/** A request that an alert waits for is given up after so long: a smaller one takes its place. */
const PATIENCE = 5 * SECOND;

export interface Timing {
  /** `sync.interval_seconds` in milliseconds. */
  interval: number;
  /** True while nothing but alerts is told, since the bytes of the day are used up: requests without one are rare then. */
  isSparing: boolean;
}

/** The next thing to do: ask now, give the running request up and ask anew, or look again at a time. */
export type Next = { do: "ask" } | { do: "give up" } | { do: "wait"; until: number };

const wait = (until: number): Next => ({ do: "wait", until });

/** Says what is to be done at a time. */
export function next(
  machine: Machine,
  waiting: Waiting,
  { interval, isSparing }: Timing,
  time: number,
): Next {
  const { phase, askedAt, quiet } = machine;
  const since = askedAt ?? Number.NEGATIVE_INFINITY;
  switch (phase.name) {
    case "asking": {
      // Its own alert is on its way already.
      if (!waiting.alert || phase.hasAlert) return wait(Number.POSITIVE_INFINITY);
      return time >= phase.since + PATIENCE ? { do: "give up" } : wait(phase.since + PATIENCE);
    }
    case "pausing": {
      const most = waiting.alert && !phase.isRefused ? Math.max(since + ALERT_PAUSE, time) : phase.until;
      const until = Math.min(phase.until, most);
      return time >= until ? { do: "ask" } : wait(until);
    }
    case "resting": {
      if (waiting.alert || askedAt === null || (waiting.much && !isSparing)) return { do: "ask" };
      const pause =
        waiting.some && !isSparing
          ? interval
          : isSparing
            ? LONGEST_PAUSE
            : Math.min(LONGEST_PAUSE, interval * 2 ** Math.min(quiet, 20));
      const until = since + Math.max(interval, pause);
      return time >= until ? { do: "ask" } : wait(until);
    }
  }
}

/** A request goes out. */
export const asks = (machine: Machine, bytes: number, hasAlert: boolean, time: number): Machine => ({
  ...machine,
  phase: { name: "asking", since: time, bytes, hasAlert },
  askedAt: time,
});

/** The shore has answered. `hadRows`: the request told something. */
export function answered(machine: Machine, hadRows: boolean, time: number): Machine {
  const { phase } = machine;
  return {
    ...machine,
    phase: { name: "resting" },
    failures: 0,
    quiet: hadRows ? 0 : machine.quiet + 1,
    line: phase.name === "asking" ? measured(machine.line, phase.bytes, time - phase.since) : machine.line,
  };
}

/** The weight of the newest answer: some five of them are remembered. */
const WEIGHT = 0.2;
/** Sizes that differ less tell nothing of the time that a byte takes, in bytes. */
const ALIKE = 256;

/** The line by one more request that took some time (milliseconds): the time of a byte is the slope of times by sizes. */
function measured({ limit, perByte: known, seen }: Line, bytes: number, elapsed: number): Line {
  const next =
    seen === null
      ? { bytes, elapsed, variance: 0, covariance: 0, answers: 1 }
      : blended(seen, bytes, elapsed);
  const differs = next.variance > ALIKE ** 2;
  const perByte = differs ? Math.max(0, next.covariance / next.variance) : known;
  // Until sizes have differed, all of the time may be that of the bytes.
  const possible = SECOND / (perByte ?? Math.max(1, elapsed) / bytes);
  // A request that was not full says little about more than it held.
  const most = bytes >= limit / 4 ? 2 * limit : limit;
  return {
    limit: clamp(Math.min(Math.max(possible, limit / 2), most)),
    latency: Math.max(0, next.elapsed - (perByte ?? 0) * next.bytes),
    ...{ perByte, seen: next },
  };
}

function blended(seen: Seen, bytes: number, elapsed: number): Seen {
  const [more, later] = [bytes - seen.bytes, elapsed - seen.elapsed];
  return {
    bytes: seen.bytes + WEIGHT * more,
    elapsed: seen.elapsed + WEIGHT * later,
    variance: (1 - WEIGHT) * (seen.variance + WEIGHT * more * more),
    covariance: (1 - WEIGHT) * (seen.covariance + WEIGHT * more * later),
    answers: seen.answers + 1,
  };
}

/** Bytes of the next request. Each fourth is half as large, so that the time that a byte takes goes on showing. */
export const sizeOf = ({ line: { limit, seen } }: Machine): number =>
  (seen?.answers ?? 0) % 4 === 3 ? clamp(limit / 2) : limit;

const clamp = (limit: number): number => Math.round(Math.min(MOST_LIMIT, Math.max(LEAST_LIMIT, limit)));

export interface Failure {
  /** The pause that the shore asked for, in milliseconds; null for none. */
  wait: number | null;
  /** The shore doesn't want this box: its token has ended. */
  isRefused: boolean;
}

/** A request failed. `random` is from 0 to 1. */
export function failed(
  machine: Machine,
  { wait: asked, isRefused }: Failure,
  time: number,
  random: number,
): Machine {
  const failures = machine.failures + 1;
  const grown = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - 1, 20));
  // Between half of it and the whole, so that not everybody is back at the same moment.
  const pause = isRefused ? LONGEST_PAUSE : Math.max(grown * (0.5 + random / 2), asked ?? 0);
  return {
    ...machine,
    phase: { name: "pausing", until: time + Math.min(pause, LONGEST_PAUSE), isRefused },
    failures,
    line: { ...machine.line, limit: clamp(machine.line.limit / 2) },
  };
}

/** A running request was given up, for a smaller one. */
export function gaveUp(machine: Machine): Machine {
  return {
    ...machine,
    phase: { name: "resting" },
    line: { ...machine.line, limit: clamp(machine.line.limit / 4) },
  };
}

/** Milliseconds that a line needs at worst: some 300 bytes a second. */
const BYTES_A_SECOND = 300;

/** The longest time in which an answer to a request must come, in milliseconds. */
export function patienceWith(bytes: number, { failures, line }: Machine, hasAlert: boolean): number {
  const transfer = (bytes / BYTES_A_SECOND) * SECOND;
  const usual = 4 * line.latency;
  // An alert is tried again soon, since the line may be another one by now; each time it gets more time.
  if (hasAlert) return Math.min(ALERT_PAUSE * 1.5 ** Math.min(failures, 8), 20 * SECOND + transfer);
  return 20 * SECOND + usual + transfer;
}
