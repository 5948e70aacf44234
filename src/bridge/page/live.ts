import { effect, signal } from "@preact/signals";
import {
  type Channel,
  type Client,
  connect,
  type Options,
  type State,
  type Subscribing,
} from "../../../clients/ts/src/index";
import { BASE } from "./base";
import { straightened } from "./direction";
import { askWho, session } from "./session";
import { WorkerSocket } from "./socket";

/** The one connection over which the page hears of changes, with a place in the feed for each subscription. */

export const lineState = signal<State>("idle");

/** Milliseconds that a connection may take: a page that has just opened has lost none. */
const PATIENCE = 3_000;

/** True while changes wait for a connection, and for longer than it takes to make one. */
export const isLost = signal(false);

effect(() => {
  if (lineState.value !== "connecting") {
    isLost.value = false;
    return;
  }
  const timer = setTimeout(() => {
    isLost.value = true;
  }, PATIENCE);
  return () => clearTimeout(timer);
});

let client: Client | null = null;

type Message = Parameters<NonNullable<Options["onMessage"]>>[0];

const hearers = new Set<(message: Message) => void>();

/** Hears the messages that carry no number, such as those of anchor watches. Returns the function that ends it. */
export function hearMessages(hearer: (message: Message) => void): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

/** Subscriptions that are wanted, also while nobody is signed in. */
const wanted = new Set<() => void>();

const begin = (): Client =>
  connect({
    url: BASE,
    token: null,
    maxPauseMs: 10_000,
    WebSocket: WorkerSocket,
    onState: (state) => {
      lineState.value = state;
      // The credential has ended: the API tells if there is another.
      if (state === "closed" && session.value === "open") void askWho();
    },
    onMessage: (heard) => {
      const message = straightened(heard);
      for (const hearer of hearers) hearer(message);
      const { type } = message;
      if (type === "permissionsUpdated" || type === "rolesUpdated") void askWho();
      if (type === "sessionRevoked" || type === "forceLogout" || type === "accountBanned") void askWho();
    },
  });

effect(() => {
  if (session.value === "open") {
    client = begin();
    for (const subscribe of wanted) subscribe();
  } else {
    client?.close();
    client = null;
  }
});

/** Milliseconds between two questions for one's rights while there is nothing to hear, and so no socket that tells of them. */
const IDLE_PAUSE = 30_000;

setInterval(() => {
  if (session.value === "open" && lineState.value === "idle") void askWho();
}, IDLE_PAUSE);

/** Hears a channel while somebody is signed in. Returns the function that ends it. */
export function hear<C extends Channel>(channel: C, listeners: Subscribing<C>): () => void {
  let end = () => {};
  const subscribe = () => {
    end =
      client?.subscribe(channel, {
        ...listeners,
        // Positions have no names, and come by the hundred.
        onChange: channel.startsWith("gps")
          ? listeners.onChange
          : (change) => listeners.onChange(straightened(change)),
        // A right that is taken away ends this subscription, and with the last one the socket that would tell of it.
        onError: (error) => {
          void askWho();
          listeners.onError?.(error);
        },
      }) ?? end;
  };
  wanted.add(subscribe);
  subscribe();
  return () => {
    wanted.delete(subscribe);
    end();
  };
}
