import { channelsOf, isTold, type ToldChange, told } from "../changes/records";
import { changesAfter, newestNumber, oldestStart, watchChanges } from "../feed/journal";
import { listeningServer } from "../kernel/http/client";
import { fedTopicOf, isFedAlone, type Socket, type Subscription, sockets } from "./connections";
import { published } from "./figures";

/**
 * Subscriptions that read on from a cursor, and the channels that only the feed serves. One reader publishes the changes of
 * each commit to all of them; a subscription that has missed some reads these first, and then joins.
 */

/** Subscriptions that are served from here. */
const following = new Set<Subscription>();
/** Everything up to this number was published. */
let publishedUpTo = 0;
let unwatch = () => {};

/** Changes looked at in one turn of the event loop. */
const STEP = 200;
/** Unsent bytes of a connection beyond which a replay waits. */
const MUCH = 256 * 1024;
/** Milliseconds until a replay looks again if its client has read. */
const PAUSE = 20;

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
export function replay(
  socket: Socket,
  channel: string,
  subscription: Subscription,
  from: number,
  reset: () => void,
): void {
  follow(subscription);
  let number = from;
  const step = (): void => {
    if (!sockets.has(socket) || socket.data.channels.get(channel) !== subscription) return;
    if (number < publishedUpTo && number < oldestStart()) {
      reset();
      number = publishedUpTo;
    }
    // The client may know of a commit that is published at the end of this turn.
    if (number > publishedUpTo) {
      inTurn(step);
      return;
    }
    if (socket.getBufferedAmount() > MUCH) {
      setTimeout(step, PAUSE);
      return;
    }
    for (const change of changesAfter(number, Math.min(STEP, publishedUpTo - number))) {
      number = change.number;
      if (isTold(change) && channelsOf(change).includes(channel)) socket.send(textOf(told(change)));
    }
    if (number >= publishedUpTo) socket.subscribe(fedTopicOf(channel));
    else inTurn(step);
  };
  step();
}

/** Replays that wait for their turn: many together would hold everything else up. */
const waiting: (() => void)[] = [];
let isTurning = false;

function inTurn(step: () => void): void {
  waiting.push(step);
  if (!isTurning) setImmediate(nextTurn);
  isTurning = true;
}

function nextTurn(): void {
  waiting.shift()?.();
  isTurning = waiting.length > 0;
  if (isTurning) setImmediate(nextTurn);
}

/** The number at which a subscription that begins now begins. */
export const presentNumber = (): number => (following.size === 0 ? newestNumber() : publishedUpTo);
