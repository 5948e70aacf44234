import { Backlog } from "../../kernel/feeds/backlog";
import {
  closedWith,
  keepConnection,
  type Link,
  type LinkTiming,
  type Open,
  OVERLONG,
  type Told,
} from "../../kernel/feeds/connection";
import { type LineSource, listenToLines, openTcp } from "../../kernel/feeds/tcp-lines";
import { failureOf } from "../../kernel/feeds/web-socket";
import { rangesOf } from "../../kernel/values/address-ranges";
import type { Reading } from "../ingest/fix";
import { GPSD_LINE, GPSD_WATCH, GpsdReader } from "./gpsd";
import { NmeaReader } from "./nmea";
import type { Reader } from "./reader";
import { SIGNALK_SUBSCRIPTION, SignalkReader, signalkStream } from "./signalk";
import { openUdp } from "./udp";

/** The connections to the sources of the own position: bytes to readings. */

export interface SourceSettings {
  source: "nmea" | "gpsd" | "signalk";
  url: string;
  token: string | null;
  /** Addresses and CIDR ranges. */
  allowFrom: readonly string[];
}

/** Receives all that a source tells. */
export interface Hearer {
  hear: (readings: Reading[]) => void;
  tell: Told;
  /** The source was connected to, for the first time or again. */
  opened: () => void;
  /** Sentences had a wrong checksum. */
  broken: (count: number) => void;
  /** A sender who isn't on the list sent a datagram. */
  refused: (sender: string) => void;
  /** A datagram was left out, since those before it are still to be read. */
  overrun: () => void;
  /** The end of work on readings that the next ones must wait for; null if there is none. */
  busy: () => Promise<unknown> | null;
}

/** Milliseconds of quiet after which nothing more belongs to a fix. Receivers send all of one in a burst. */
const QUIET = 300;

/** Bytes of a message of Signal K. */
const MAX_MESSAGE = 262_144;

const NO_TOKEN = { en: "it refuses the token", de: "das Token wird abgelehnt" };

/** The failure of a handshake that was answered with 401 or 403. */
const REFUSED = /status code: 40[13]$/;

/** Milliseconds for a WebSocket to confirm that it is closed. */
const CLOSE_GRACE = 1_000;

/** Keeps listening to a source. */
export function startSource(settings: SourceSettings, hearer: Hearer, timing: LinkTiming): LineSource {
  const { source, url } = settings;
  const stream = new Stream(
    () =>
      source === "nmea"
        ? new NmeaReader(hearer.broken)
        : source === "gpsd"
          ? new GpsdReader()
          : new SignalkReader(),
    hearer,
  );
  const connected =
    source === "nmea" && url.startsWith("tcp:")
      ? listenToLines(url, { ...stream, tell: hearer.tell, busy: hearer.busy }, timing)
      : keep(
          source === "nmea"
            ? (link) => listenToDatagrams(settings, hearer, stream, link)
            : source === "gpsd"
              ? (link) => watchGpsd(url, hearer, stream, link)
              : (link) => subscribe(settings, hearer, stream, link),
          hearer.tell,
          timing,
        );
  return {
    isOpen: connected.isOpen,
    stop() {
      connected.stop();
      stream.end();
    },
  };
}

function keep(open: Open, tell: Told, timing: LinkTiming): LineSource {
  const { connect, isOpen, disconnect } = keepConnection(tell, open, timing);
  connect();
  return { isOpen, stop: disconnect };
}

/** One source's messages on their way through a reader, which is a new one for each connection. */
class Stream {
  readonly #makeReader: () => Reader;
  readonly #hearer: Hearer;
  #reader: Reader;
  #quiet: ReturnType<typeof setTimeout> | null = null;

  constructor(makeReader: () => Reader, hearer: Hearer) {
    this.#makeReader = makeReader;
    this.#hearer = hearer;
    this.#reader = makeReader();
  }

  /** Bound to this stream, since it is handed on. */
  readonly opened = (): void => {
    this.#finish();
    this.#reader = this.#makeReader();
    this.#hearer.opened();
  };

  readonly take = (text: string): boolean => {
    const { makesSense, readings } = this.#reader.take(text);
    this.#tell(readings);
    if (makesSense) {
      if (this.#quiet) this.#quiet.refresh();
      else this.#quiet = setTimeout(() => this.#finish(), QUIET);
    }
    return makesSense;
  };

  end(): void {
    if (this.#quiet) clearTimeout(this.#quiet);
  }

  #finish(): void {
    this.#tell(this.#reader.flush());
  }

  #tell(readings: Reading[]): void {
    if (readings.length > 0) this.#hearer.hear(readings);
  }
}

/** Takes the lines of a link. */
const readingOf = (stream: Stream, { busy }: Hearer, link: Link) => ({
  take(line: string) {
    if (stream.take(line)) link.heard();
  },
  busy,
});

function listenToDatagrams(
  { url, allowFrom }: SourceSettings,
  hearer: Hearer,
  stream: Stream,
  link: Link,
): () => void {
  const { opened } = stream;
  const { refused, overrun } = hearer;
  const reading = readingOf(stream, hearer, link);
  return openUdp(url, rangesOf(allowFrom), link, { opened, refused, overrun, ...reading });
}

function watchGpsd(url: string, hearer: Hearer, stream: Stream, link: Link): () => void {
  return openTcp(url, link, {
    opened(write) {
      stream.opened();
      write(GPSD_WATCH);
    },
    longest: GPSD_LINE,
    ...readingOf(stream, hearer, link),
  });
}

// Bun's own type: that of browsers, which graphql-yoga brings in, lacks some options.
const SocketWithHeaders = WebSocket as unknown as new (
  url: string,
  options: { headers: Record<string, string> },
) => Bun.WebSocket;

function subscribe({ url, token }: SourceSettings, hearer: Hearer, stream: Stream, link: Link): () => void {
  const backlog = new Backlog(readingOf(stream, hearer, link));
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const socket = new SocketWithHeaders(signalkStream(url), { headers });
  socket.binaryType = "nodebuffer";
  socket.onopen = () => {
    link.opened();
    stream.opened();
    socket.send(SIGNALK_SUBSCRIPTION);
  };
  socket.onmessage = ({ data }: { data: string | Buffer }) => {
    if (data.length > MAX_MESSAGE) link.lost(OVERLONG);
    else if (backlog.isFull)
      link.lost({
        en: "it sends faster than it can be read",
        de: "es kommt mehr, als sich lesen lässt",
      });
    else backlog.push([data.toString()]);
  };
  socket.onerror = (event) => link.lost(REFUSED.test(failureOf(event).en) ? NO_TOKEN : failureOf(event));
  socket.onclose = ({ code }) => link.lost(closedWith(code));
  return () => {
    backlog.close();
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_GRACE).unref();
  };
}
