import { expect } from "bun:test";
import {
  type Change,
  type Channel,
  type Client,
  connect,
  type FairleadError,
  type Options,
  type ResetReason,
  type State,
} from "../../clients/ts/src/index";
import { eventually } from "../support/expectations";

/** A client of the tests: quick to come back, and it keeps what it is told. */

export interface Heard {
  changes: Change[];
  starts: string[];
  resets: { cursor: string; reason: ResetReason }[];
  errors: FairleadError[];
  end: () => void;
}

export class Listener {
  readonly client: Client;
  readonly states: State[] = [];

  constructor(options: Pick<Options, "url" | "token"> & Partial<Options>) {
    this.client = connect({
      minPauseMs: 5,
      maxPauseMs: 50,
      onState: (state) => this.states.push(state),
      ...options,
    });
  }

  hear(channel: Channel, since?: string): Heard {
    const heard: Heard = { changes: [], starts: [], resets: [], errors: [], end: () => {} };
    heard.end = this.client.subscribe(channel, {
      ...(since !== undefined && { since }),
      onChange: (change) => heard.changes.push(change),
      onStart: (cursor) => heard.starts.push(cursor),
      onReset: (cursor, reason) => heard.resets.push({ cursor, reason }),
      onError: (error) => heard.errors.push(error),
    });
    return heard;
  }

  /** Waits until the client is in a state. */
  is(state: State): Promise<void> {
    return eventually(() => this.client.state === state);
  }
}

/** The identifiers of the records that changes tell of. */
export const idsOf = (changes: Change[]) => changes.map(({ data }) => ("id" in data ? data.id : null));

/** The ways in which changes come. */
export const WAYS = [
  { way: "socket", state: "live", options: {} },
  { way: "long poll", state: "polling", options: { WebSocket: null } },
] as const;

/** Waits for so many changes, which have to be these. */
export const hasAll = (heard: Heard, posted: string[]) =>
  eventually(() => heard.changes.length >= posted.length).then(() =>
    expect(idsOf(heard.changes)).toEqual(posted),
  );
