import type { Message } from "../../kernel/http/message";
import type { Reading, Rejection } from "../ingest/fix";
import type { ForwardedPosition } from "../ingest/formats/traccar-server";
import type { Source } from "../ingest/kinds";
import type { Reporter } from "../trackers/authenticate";
import * as read from "./read";
import { type Tally, takeForwarded, takeNothing, takeReadings } from "./take";
import { messagesFor } from "./zones";

/** A request of an app that was let in. */
export interface Delivery {
  reporter: Reporter;
  message: Message;
}

interface Visit {
  request: Request;
  delivery: Delivery;
}

type Read<T> = T | Rejection;
type Reader<T> = (message: Message, reporter: Reporter, request: Request) => Read<T> | Promise<Read<T>>;

/** A door: how it reads a message, as which source, and what its app wants to hear once it is recorded. */
type Door = (visit: Visit) => Promise<unknown>;

const door =
  (
    source: Source,
    readings: Reader<Reading[]>,
    answer: (tally: Tally, reporter: Reporter, readings: Reading[]) => unknown,
  ): Door =>
  async ({ request, delivery: { reporter, message } }) => {
    const found = await readings(message, reporter, request);
    if (typeof found === "string") return answer(takeNothing(source, reporter, found), reporter, []);
    return answer(await takeReadings(source, reporter, found), reporter, found);
  };

const text = (content: string) =>
  new Response(content, { headers: { "content-type": "text/plain; charset=utf-8" } });

const nothing = () => text("");
const ok = () => ({ result: "ok" });

const HELP = `This is the address of a tracker of Fairlead: an app sends positions to it.
Enter it in the app (in Traccar Client as the server's address, in OsmAnd as the web address of online tracking).
It holds a secret; whoever has it can send positions in the name of this device.
`;

/** A door that a person may open in a browser. */
const visitable =
  (inner: Door): Door =>
  async (visit) =>
    read.isVisit(visit.request) ? text(HELP) : inner(visit);

const traccar: Door = async ({ delivery: { reporter, message } }) => {
  const forwarded: ForwardedPosition | Rejection = read.traccar(message);
  if (typeof forwarded === "string") takeNothing("traccar", reporter, forwarded);
  else await takeForwarded(reporter, forwarded);
  return nothing();
};

const DOORS = {
  owntracks: door("owntracks", read.ownTracks, (_, reporter, readings) => messagesFor(reporter, readings)),
  osmand: visitable(door("osmand", read.osmAnd, nothing)),
  overland: door("overland", read.overland, ok),
  dawarich: door("overland", read.dawarich, ok),
  gpslogger: visitable(door("gpslogger", read.gpsLogger, nothing)),
  traccar,
  generic: door("generic", read.generic, (tally) => tally),
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof DOORS;

/** An answer that closes the connection: nobody could tell the rest of such a body from the next request. */
const closed = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.error();
      },
    }),
    { status: 413 },
  );

/**
 * Records what an app delivers at a door, and returns what the app wants to hear. Throws 503 beyond a limit, and 401 where
 * the device is gone meanwhile.
 */
export const visit = async (name: DoorName, { request, delivery }: Visit): Promise<unknown> =>
  delivery.message === "endless" ? closed() : DOORS[name]({ request, delivery });
