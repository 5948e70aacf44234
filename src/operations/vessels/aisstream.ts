import {
  closedWith,
  keepConnection,
  LINK_TIMING,
  type Link,
  type LinkTiming,
  OVERLONG,
  toldInLog,
} from "../../kernel/feeds/connection";
import { failureOf } from "../../kernel/feeds/web-socket";
import { alike } from "../../kernel/values/bilingual";
import type { Position } from "../../kernel/values/great-circle";
import { MESSAGE_TYPES, readFrame } from "./aisstream-messages";
import { type Area, boxesOf, isLeft } from "./area";
import type { Hear, Source } from "./source";

/**
 * The feed of aisstream.io or one like it: a WebSocket that is given an area to report on. It needs a
 * position: without one there is no connection.
 */

export interface Feed {
  url: string;
  apiKey: string;
}

export interface FeedTiming extends LinkTiming {
  /** Shortest time between two subscriptions because the ship moved, in milliseconds. */
  settle: number;
}

/** A fleet whose newest position jumps between its vessels doesn't reconnect all the time. */
export const FEED_TIMING: FeedTiming = { ...LINK_TIMING, settle: 10_000 };

/** Characters of a frame; those of the feed have less than a thousand. */
const MAX_FRAME = 65_536;

/** Keeps listening to the feed around the newest position. */
export function startAisstream(feed: Feed, hear: Hear, timing = FEED_TIMING): Source {
  let wanted: Area | null = null;
  /** The area of the current subscription, and its time (performance.now milliseconds). */
  let asked: { area: Area; at: number } | null = null;

  const kept = keepConnection(
    toldInLog("vessel positions", "aisstream"),
    (link) => {
      if (!wanted) return () => {};
      asked = { area: wanted, at: performance.now() };
      return open(feed, wanted, hear, link);
    },
    timing,
  );

  return {
    look(here: Position | null, radiusKm: number) {
      wanted = here && { centre: here, radiusKm };
      if (!here) kept.disconnect();
      else if (!asked || !kept.isOpen()) kept.connect();
      // One subscription after the other: the feed takes a second one at the same time for a second user of
      // the key.
      else if (isLeft(asked.area, here, radiusKm) && performance.now() - asked.at >= timing.settle)
        kept.renew();
    },
    isOpen: kept.isOpen,
    stop: kept.disconnect,
  };
}

/** Milliseconds for the feed to confirm that the connection is closed. */
const CLOSE_GRACE = 1_000;

function open({ url, apiKey }: Feed, area: Area, hear: Hear, link: Link): () => void {
  // Bun's own type: that of browsers, which graphql-yoga brings in, lacks some options.
  const socket = new WebSocket(url) as unknown as Bun.WebSocket;
  socket.binaryType = "nodebuffer";
  socket.onopen = () => {
    // The feed closes a connection that doesn't subscribe within 3 seconds.
    const subscription = { APIKey: apiKey, BoundingBoxes: boxesOf(area), FilterMessageTypes: MESSAGE_TYPES };
    socket.send(JSON.stringify(subscription));
    link.opened();
  };
  socket.onmessage = ({ data }: { data: string | Buffer }) => {
    if (data.length > MAX_FRAME) {
      link.lost(OVERLONG);
      return;
    }
    const frame = readFrame(data.toString());
    if (!frame) return;
    if ("refusal" in frame) {
      link.lost(alike(frame.refusal));
      return;
    }
    link.heard();
    if (frame.report) hear(frame.report);
  };
  socket.onerror = (event) => link.lost(failureOf(event));
  socket.onclose = ({ code }) => link.lost(closedWith(code));
  return () => {
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_GRACE).unref();
  };
}
