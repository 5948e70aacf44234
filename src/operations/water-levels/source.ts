import { config } from "../../configuration/config";
import { AppError } from "../../kernel/errors/errors";
import { mayLog } from "../../kernel/errors/trouble";
import { boundedFetch, jsonOf, OutboundError, retryAfter } from "../../kernel/http/outbound";
import { log } from "../../kernel/logs/log";
import { now, SECOND } from "../../kernel/time/clock";
import { readStations, type SourceStation } from "./stations";

/**
 * The source of water levels: the REST API of PEGELONLINE, version 2, or a service like it. All stations are
 * fetched at once, which is one answer to keep: the nearest one changes with every position, and on a vessel
 * the network may be gone when somebody asks.
 */

const BOUNDS = { timeout: 10 * SECOND, maxBytes: 16 * 1_048_576 };

const QUERY =
  "includeTimeseries=true&includeCurrentMeasurement=true&includeCharacteristicValues=false&timeseries=W&prettyprint=false";

interface Kept {
  stations: SourceStation[];
  etag: string | null;
  /** Time at which the source last confirmed this content. */
  confirmedAt: number;
}

export interface SourceAnswer {
  stations: SourceStation[];
  /** True if the source could not be asked, and this is an older answer. */
  isStale: boolean;
}

let kept: Kept | null = null;
let pending: Promise<Kept> | null = null;
/** Time span in which the source is not asked: it asked for that, or does not answer at all. */
let quiet = { from: 0, until: 0 };

/** A clock that was set back ends it. */
const isQuiet = () => quiet.from <= now() && now() < quiet.until;

/** Several requests may be under way: an answer that asks for less must not shorten another's pause. */
function leaveAlone(milliseconds: number): void {
  const from = now();
  quiet = { from, until: Math.max(isQuiet() ? quiet.until : 0, from + milliseconds) };
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

function isFresh({ confirmedAt }: Kept): boolean {
  const age = now() - confirmedAt;
  return age >= 0 && age < config["pegel.cache_seconds"] * SECOND;
}

async function ask(): Promise<Kept> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (kept?.etag) headers["if-none-match"] = kept.etag;
  const answer = await boundedFetch(
    `${config["pegel.base_url"]}/stations.json?${QUERY}`,
    { headers },
    BOUNDS,
  );
  if (answer.status === 304 && kept) return { ...kept, confirmedAt: now() };
  heedPause(answer);
  if (answer.status !== 200) throw new OutboundError(`status ${answer.status}`);
  const stations = readStations(await jsonOf(answer));
  if (!stations) throw new OutboundError("the answer is not a list of stations");
  return { stations, etag: answer.headers.get("etag"), confirmedAt: now() };
}

function heedPause(answer: Response): void {
  if (answer.status === 429 || answer.status === 503) leaveAlone(retryAfter(answer, now()) ?? 0);
}

const MEASUREMENT_BOUNDS = { timeout: 5 * SECOND, maxBytes: 1_048_576 };

/** A station's measurements of the last day, as the source sends them; null if they can't be fetched. */
export async function measurementsOf(stationId: string): Promise<unknown> {
  if (!/^[\w-]{1,64}$/.test(stationId) || isQuiet()) return null;
  const url = `${config["pegel.base_url"]}/stations/${stationId}/W/measurements.json?start=P1D`;
  try {
    const answer = await boundedFetch(url, { headers: { accept: "application/json" } }, MEASUREMENT_BOUNDS);
    heedPause(answer);
    return answer.status === 200 ? await jsonOf(answer) : null;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return null;
  }
}
