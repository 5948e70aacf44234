import { describeError, log } from "../logs/log";
import { afterCommit, inTransaction } from "./transactions";

/**
 * The business events of the program and their payloads. Each domain adds its own where it publishes them:
 * `declare module "../../../kernel/events" { interface EventMap { "trip.started": { id: string } } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface EventMap {}

type Listener<Name extends keyof EventMap> = (payload: EventMap[Name]) => void;

const listeners = new Map<string, ((payload: never) => void)[]>();

/**
 * Calls `listener` for each event of this name. Listeners notify; a change that correctness depends on needs
 * a direct call.
 */
export function subscribe<Name extends keyof EventMap>(name: Name, listener: Listener<Name>): void {
  const known = listeners.get(name);
  if (known) known.push(listener);
  else listeners.set(name, [listener]);
}

/** Tells the listeners that something happened: after the commit inside `transact`, at once elsewhere. */
export function publish<Name extends keyof EventMap>(name: Name, payload: EventMap[Name]): void {
  if (inTransaction()) afterCommit(() => dispatch(name, payload));
  else dispatch(name, payload);
}

function dispatch<Name extends keyof EventMap>(name: Name, payload: EventMap[Name]): void {
  for (const listener of listeners.get(name) ?? []) {
    try {
      (listener as Listener<Name>)(payload);
    } catch (error) {
      log.error("a listener failed", { event: name, ...describeError(error) });
    }
  }
}
