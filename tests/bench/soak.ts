import { median } from "./figures";
import type { Heard, ListenOrder } from "./listen";
import type { Load, LoadOrder } from "./load";
import type { Memory, MemoryOrder } from "./memory";
import type { Place } from "./prepare";
import { Helper, startFairlead, type Watched } from "./processes";
import { CURRENT, POST, scenarioNamed } from "./scenarios";

/** A server's memory under a steady load, minute by minute: a leak shows as growth that doesn't end. */

/** Subscribers of `gps`, who get each position, alone and with everything on. */
export const SOCKETS = 200;
export const SOCKETS_OF_ALL = 500;

/** The requests that are made all the time, each on a connection of its own with this pause (milliseconds). */
const MIX = [POST.name, CURRENT.name, "GET /v1/gps?limit=10", "GET /v1/users/me by session"];
const PAUSE = 17;

/** Milliseconds between sockets that come and go, and between sign-ins. */
const SOCKET_EVERY = 1_000;
const LOGIN_EVERY = 10_000;

/** Minutes after which nothing should grow any more, and the growth that counts as none (bytes). */
const SETTLED_AFTER = 60;
export const STEADY = 5_000_000;

/** Minutes beyond that which a run needs to prove anything. */
const LEAST = 10;
/** Kinds of objects that are listed. */
const LISTED = 5;

export interface SoakMinute extends Omit<Memory, "counts"> {
  minute: number;
  requestsPerSecond: number;
  /** Positions posted so far. */
  posted: number;
  /** Milliseconds that a position's answer took. */
  p99: number;
}

export interface Soak {
  minutes: SoakMinute[];
  /** The growth of resident memory from this minute to the end; null for a run that is too short. */
  growth: { since: number; resident: number; isMet: boolean | null } | null;
  /** After a collection of garbage: the first minute, the end, and the end without SQLite's page cache. */
  collected: { first: Memory; last: Memory; withoutPages: Memory };
  /** All that happened beside the requests; null where nothing did. */
  everything: Counts | null;
  /** Kinds of objects of which there are more at the end than after the first minute, the most first. */
  more: { kind: string; first: number; last: number }[];
}

/** A client whose sockets come and go, and who signs in now and then. Returns the end of it. */
function comeAndGo({ port, fixture }: Watched): () => void {
  const openSocket = () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws?token=${fixture.session}`);
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "subscribe", channel: "gps" }));
      setTimeout(() => socket.close(), SOCKET_EVERY);
    };
  };
  const signIn = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fixture.login),
    });
    if (!answer.ok) throw new Error(`a sign-in answered ${answer.status}`);
  };
  const timers = [setInterval(openSocket, SOCKET_EVERY), setInterval(signIn, LOGIN_EVERY)];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** All that goes on beside the requests: see everything.ts. */
export interface Besides {
  /** Environment of the server. */
  settings: Record<string, string>;
  start: (server: Watched) => Promise<{ counts: () => Counts; stop: () => Promise<void> }>;
}

/** The number of times that something has happened, by its name. */
export type Counts = Record<string, number>;

/** Runs the load for so many minutes, beside all else if there is any, and tells each minute by `tell`. */
export async function measureSoak(
  place: Place,
  minutes: number,
  besides: Besides | null,
  tell: (minute: SoakMinute) => void,
): Promise<Soak> {
  const server = await startFairlead(place, { watched: true, settings: besides?.settings ?? {} });
  const weigh = (order: Partial<MemoryOrder> = {}) => server.ask({ collect: false, shrink: false, ...order });
  const listeners = new Helper<ListenOrder, Heard>("listen.ts");
  const loads = MIX.map((name) => ({
    scenario: scenarioNamed(name).name,
    helper: new Helper<LoadOrder, Load>("load.ts"),
  }));
  const { port, fixture } = server;
  const sockets = besides ? SOCKETS_OF_ALL : SOCKETS;
  await listeners.ask({ do: "open", port, key: fixture.key, sockets, channel: "gps" });
  const everything = await besides?.start(server);
  const end = comeAndGo(server);
  const told: SoakMinute[] = [];
  let posted = 0;
  let first: Memory | null = null;
  for (let minute = 1; minute <= minutes; minute++) {
    const order = { fixture, port, connections: 1, seconds: 60, pause: PAUSE };
    const done = await Promise.all(loads.map(({ scenario, helper }) => helper.ask({ scenario, ...order })));
    const [post] = done as [Load];
    // Each position reached each subscriber.
    await listeners.ask({ do: "expect", port, messages: post.sent * sockets, more: besides !== null });
    posted += post.sent;
    const { counts: _, ...memory } = await weigh();
    const requestsPerSecond = done.reduce((sum, { sent, seconds }) => sum + sent / seconds, 0);
    told.push({ minute, requestsPerSecond, posted, p99: post.p99, ...memory });
    tell(told.at(-1) as SoakMinute);
    first ??= await weigh({ collect: true });
  }
  end();
  await everything?.stop();
  const last = await weigh({ collect: true });
  const withoutPages = await weigh({ collect: true, shrink: true });
  const collected = { first: first ?? last, last, withoutPages };
  const counts = everything?.counts() ?? null;
  return { minutes: told, growth: growthOf(told), collected, everything: counts, more: moreOf(collected) };
}

/**
 * The growth since the memory has settled, or in a short run since its middle, of which nothing is asked: the median of the slopes
 * between all pairs of minutes (the estimator of Theil and Sen) times the minutes, as garbage of some 20 MB comes and goes.
 */
export function growthOf(minutes: SoakMinute[]): Soak["growth"] {
  const isLong = minutes.length >= SETTLED_AFTER + LEAST;
  const since = isLong ? SETTLED_AFTER : Math.floor(minutes.length / 2);
  if (since < 1) return null;
  const settled = minutes.slice(since - 1);
  const slopes = settled.flatMap((later, at) =>
    settled.slice(0, at).map((one) => (later.resident - one.resident) / (later.minute - one.minute)),
  );
  const resident = median(slopes) * (settled.length - 1);
  return { since, resident, isMet: isLong ? resident <= STEADY : null };
}

function moreOf({ first, last }: Soak["collected"]): Soak["more"] {
  return Object.entries(last.counts)
    .map(([kind, count]) => ({ kind, first: first.counts[kind] ?? 0, last: count }))
    .filter(({ first, last }) => last > first)
    .sort((a, b) => b.last - b.first - (a.last - a.first))
    .slice(0, LISTED);
}
