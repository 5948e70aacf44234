import { config } from "../../configuration/config";
import { hashToken } from "../../kernel/crypto/crypto";
import { AppError } from "../../kernel/errors/errors";
import { logFailure, mayLog } from "../../kernel/errors/trouble";
import { boundedFetch, jsonOf, OutboundError, retryAfter } from "../../kernel/http/outbound";
import { log } from "../../kernel/logs/log";
import { now, SECOND } from "../../kernel/time/clock";
import { keepLevels } from "./history";
import { type LastAnswer, storeAnswer, storedAnswer } from "./last-answer";
import { isNameable, readStations, type SourceStation } from "./stations";

/**
 * The source of water levels: the REST API of PEGELONLINE, version 2, or a service like it. All stations are
 * fetched at once, which is one answer to keep: the nearest one changes with every position, and on a vessel
 * the network may be gone when somebody asks.
 */

const BOUNDS = { timeout: 10 * SECOND, maxBytes: 16 * 1_048_576 };

const QUERY =
  "includeTimeseries=true&includeCurrentMeasurement=true&includeCharacteristicValues=false&timeseries=W&prettyprint=false";

export interface SourceAnswer {
  stations: SourceStation[];
  /** True if the source could not be asked, and this is an older answer. */
  isStale: boolean;
}

let kept: LastAnswer | null = null;
let pending: Promise<LastAnswer> | null = null;
/** The reading of what a run before this one stored. */
let recalling: Promise<void> | null = null;
/** Time span in which the source is not asked: it asked for that, or does not answer at all. */
let quiet = { from: 0, until: 0 };

/** A clock that was set back ends it. */
const isQuiet = () => quiet.from <= now() && now() < quiet.until;

/** Several requests may be under way: an answer that asks for less must not shorten another's pause. */
function leaveAlone(milliseconds: number): void {
  const from = now();
  quiet = { from, until: Math.max(isQuiet() ? quiet.until : 0, from + milliseconds) };
}

const url = () => `${config["pegel.base_url"]}/stations.json?${QUERY}`;
/** The address may hold a secret of the operator's. */
const source = () => hashToken(url());

async function recall(): Promise<void> {
  try {
    kept = await storedAnswer(source());
  } catch (error) {
    logFailure("the last answer of the source of water levels could not be read", error);
  }
}

/** Stores an answer and its levels. A disk that takes nothing is no reason to show none. */
async function remember(answer: LastAnswer): Promise<void> {
  try {
    await keepLevels(answer.stations);
    await storeAnswer(source(), answer);
  } catch (error) {
    logFailure("water levels could not be kept", error);
  }
}

const notThere = (why: string) =>
  new AppError("ServiceUnavailable", `The source of water levels is not available: ${why}`, {
    headers: { "retry-after": "60" },
  });

/**
 * All stations, at most `pegel.cache_seconds` old if the source can be asked. Throws 503 without any answer.
 */
export async function allStations(): Promise<SourceAnswer> {
  if (!config["pegel.enabled"])
    throw new AppError("ServiceUnavailable", "Water levels are not enabled (pegel.enabled)");
  recalling ??= recall();
  await recalling;
  if (kept && isFresh(kept)) return { stations: kept.stations, isStale: false };
  try {
    if (isQuiet()) throw new OutboundError("it failed a moment ago and will be tried again later");
    // Concurrent requests wait for the same answer.
    pending ??= ask()
      .catch(noteFailure)
      .finally(() => {
        pending = null;
      });
    kept = await pending;
    return { stations: kept.stations, isStale: false };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (kept) return { stations: kept.stations, isStale: true };
    throw notThere(error.message);
  }
}

/** Pause for a source that timed out, while an older answer will do. */
const SILENCE = 15 * SECOND;

function noteFailure(error: unknown): never {
  if (error instanceof OutboundError) {
    if (mayLog("water levels"))
      log.warn("the source of water levels does not answer; older levels are shown where there are any", {
        why: error.message,
      });
    if (kept && error.message === "TimeoutError") leaveAlone(SILENCE);
  }
  throw error;
}

function isFresh({ confirmedAt }: LastAnswer): boolean {
  const age = now() - confirmedAt;
  return age >= 0 && age < config["pegel.cache_seconds"] * SECOND;
}

async function ask(): Promise<LastAnswer> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (kept?.etag) headers["if-none-match"] = kept.etag;
  const answer = await boundedFetch(url(), { headers }, BOUNDS);
  if (answer.status === 304 && kept) return { ...kept, confirmedAt: now() };
  heedPause(answer);
  if (answer.status !== 200) throw new OutboundError(`status ${answer.status}`);
  const stations = readStations(await jsonOf(answer));
  if (!stations) throw new OutboundError("the answer is not a list of stations");
  const newest = { stations, etag: answer.headers.get("etag"), confirmedAt: now() };
  await remember(newest);
  return newest;
}

function heedPause(answer: Response): void {
  if (answer.status === 429 || answer.status === 503) leaveAlone(retryAfter(answer, now()) ?? 0);
}

const MEBIBYTE = 1_048_576;
/** A month of a station that measures each minute is 2.5 MB. */
const measurementBounds = (days: number) => ({
  timeout: 5 * SECOND,
  maxBytes: (days === 1 ? 1 : 4) * MEBIBYTE,
});

/** Days that the source looks back. */
export const MOST_DAYS = 31;

/** A station's measurements of the last 1 to 31 days, as the source sends them; null if they can't be fetched. */
export async function measurementsOf(stationId: string, days: number): Promise<unknown> {
  if (!isNameable(stationId) || isQuiet()) return null;
  const url = `${config["pegel.base_url"]}/stations/${stationId}/W/measurements.json?start=P${days}D`;
  try {
    const answer = await boundedFetch(
      url,
      { headers: { accept: "application/json" } },
      measurementBounds(days),
    );
    heedPause(answer);
    return answer.status === 200 ? await jsonOf(answer) : null;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return null;
  }
}
