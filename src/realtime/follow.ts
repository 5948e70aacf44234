import { channelsOf, isTold, type ToldChange, told } from "../changes/records";
import { STEP, stepOf } from "../changes/turns";
import { changesAfter, newestNumber, oldestStart, type Start, startOf, watchChanges } from "../feed/journal";
import { shareReadTransaction } from "../kernel/db/reads";
import { listeningServer } from "../kernel/http/client";
import { fedTopicOf, isFedAlone, type Socket, type Subscription, sockets } from "./connections";
import { published } from "./figures";
import { endDueShares } from "./share-ends";

/**
 * Subscriptions that read on from a cursor, and the channels that only the feed serves. One reader publishes the changes of
 * each commit to all of them; a subscription that has missed some reads these first, and then joins.
 */

/** Subscriptions that are served from here. */
const following = new Set<Subscription>();
/** Everything up to this number was published. */
let publishedUpTo = 0;
let unwatch = () => {};

/** Unsent bytes of a connection beyond which a replay waits. Its pings have to go through behind them. */
const MUCH = 64 * 1024;
/** Milliseconds until a replay looks again if its client has read, the first time and at most. */
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 200;

/** Serves a subscription from now on. */
function follow(subscription: Subscription): void {
  if (following.size === 0) {
    publishedUpTo = newestNumber();
    unwatch = watchChanges(publishNew);
  }
  following.add(subscription);
}

/** Ends the service of a subscription; its replay ends with it. */
export function unfollow(subscription: Subscription): void {
  if (following.delete(subscription) && following.size === 0) unwatch();
}

/** Publishes the changes since the last time, a step in each turn of the event loop. */
function publishNew(): void {
  if (following.size === 0) return;
  shareReadTransaction();
  endDueShares();
  // Those of one turn leave in one packet for each socket.
  const changes = changesAfter(publishedUpTo, STEP);
  for (const change of changes) {
    publishedUpTo = change.number;
    if (isTold(change)) publishTo(channelsOf(change), () => told(change));
  }
  if (changes.length === STEP) setImmediate(publishNew);
}

function publishTo(channels: string[], tell: () => ToldChange): void {
  const server = listeningServer();
  if (!server) return;
  const isHeard = (topic: string) => server.subscriberCount(topic) > 0;
  const withCursor = channels.map(fedTopicOf).filter(isHeard);
  const plain = channels.filter((channel) => isFedAlone(channel) && isHeard(channel));
  if (withCursor.length + plain.length === 0) return;
  const change = tell();
  const send = (topics: string[], text: string) => {
    for (const topic of topics) server.publish(topic, text);
  };
  if (withCursor.length > 0) send(withCursor, textOf(change));
  if (plain.length > 0) send(plain, JSON.stringify({ type: change.type, data: change.data }));
  published.add(withCursor.length + plain.length);
}

/** A change as a message, with its cursor. */
const textOf = ({ type, data, cursor }: ToldChange): string => JSON.stringify({ type, data, cursor });

/** Serves a subscription to a channel that only the feed serves, without cursors. */
export function hear(socket: Socket, channel: string, subscription: Subscription): void {
  follow(subscription);
  socket.subscribe(channel);
}

/**
 * Sends a connection the changes of a channel after a number, in order, and then those to come. It ends when the subscription
 * does; `reset` is called if changes are forgotten before they were sent.
 */
export async function replay(
  socket: Socket,
  channel: string,
  subscription: Subscription,
  from: number,
  reset: () => void,
): Promise<void> {
  follow(subscription);
  let number = from;
  let pause = SHORTEST_PAUSE;
  let unsent = 0;
  const hasEnded = () => !sockets.has(socket) || socket.data.channels.get(channel) !== subscription;
  while (number !== publishedUpTo) {
    await stepOf(Math.max(0, publishedUpTo - number), socket.data.caller.id);
    if (hasEnded()) return;
    // A client may know of a commit that is about to be published.
    if (number > publishedUpTo) publishNew();
    shareReadTransaction();
    if (number < publishedUpTo && number < oldestStart()) {
      reset();
      number = publishedUpTo;
    }
    const isSlow = () => socket.getBufferedAmount() > MUCH;
    const hasRead = socket.getBufferedAmount() < unsent;
    // Whoever takes bytes is alive, though a pong comes only once what lies before its ping is read.
    if (hasRead) socket.data.aliveAt = performance.now();
    pause = hasRead ? SHORTEST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    for (const change of changesAfter(number, Math.min(STEP, Math.max(0, publishedUpTo - number)))) {
      if (isSlow()) break;
      number = change.number;
      if (isTold(change) && channelsOf(change).includes(channel)) socket.send(textOf(told(change)));
    }
    unsent = socket.getBufferedAmount();
    if (isSlow()) await Bun.sleep(pause);
  }
  if (!hasEnded()) socket.subscribe(fedTopicOf(channel));
}

/** The number at which a subscription that begins now begins. */
export const presentNumber = (): number => (following.size === 0 ? newestNumber() : publishedUpTo);

/** The place that `since` names; undefined without one, null where it is no cursor of this server. */
export const placeOf = (since: unknown): Start | null | undefined =>
  since === undefined || since === null ? undefined : typeof since === "string" ? startOf(since) : null;

/** The place to begin for a caller who may hear the present alone: what came before counts as gone. */
export const presentOf = (start: Start | undefined): Start | undefined =>
  start !== undefined && "number" in start && start.number < presentNumber() ? { gone: "expired" } : start;
