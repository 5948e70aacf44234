import { wordsOfNetwork } from "../errors/network-trouble";
import { alike, type Bilingual } from "../values/bilingual";
import { Backlog, type LineReading } from "./backlog";
import { type Kept, keepConnection, type Link, type LinkTiming, type Told } from "./connection";
import { LineReader } from "./lines";

/** Lines that a server sends over TCP. Those who listen to the same server share one connection: some serve few. */

export interface LineListener {
  /** Takes a line; true if it makes sense to this listener. */
  take: (line: string) => boolean;
  /** The end of work that the next line must wait for; null if there is none. */
  busy?: () => Promise<unknown> | null;
  tell: Told;
  /** A connection was made: whatever was begun on the one before is void. */
  opened?: () => void;
}

export interface LineSource {
  isOpen: () => boolean;
  stop: () => void;
}

/** One connection and its listeners. */
interface Shared {
  kept: Kept;
  listeners: Set<LineListener>;
}

const shared = new Map<string, Shared>();

/**
 * Keeps listening to the server at `tcp://host:port`. A connection that is there already keeps the timing of the
 * listener that made it.
 */
export function listenToLines(url: string, listener: LineListener, timing: LinkTiming): LineSource {
  const { kept, listeners } = shared.get(url) ?? share(url, timing);
  listeners.add(listener);
  kept.connect();
  return {
    isOpen: kept.isOpen,
    stop() {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      shared.delete(url);
      kept.disconnect();
    },
  };
}

function share(url: string, timing: LinkTiming): Shared {
  const listeners = new Set<LineListener>();
  // A connection speaks to each listener for itself.
  const tell: Told = {
    speaks() {},
    fails(why) {
      for (const { tell } of listeners) tell.fails(why);
    },
  };
  const take = (link: Link, line: string) => {
    for (const { take, tell } of listeners)
      if (take(line)) {
        link.heard();
        tell.speaks();
      }
  };
  const busy = () => {
    for (const { busy } of listeners) {
      const work = busy?.();
      if (work) return work;
    }
    return null;
  };
  const open = (link: Link) =>
    openTcp(url, link, {
      opened() {
        for (const { opened } of listeners) opened?.();
      },
      take: (line) => take(link, line),
      busy,
    });
  const made = { kept: keepConnection(tell, open, timing), listeners };
  shared.set(url, made);
  return made;
}

export interface TcpHandlers extends LineReading {
  /** Called when the connection is there, with the function that writes to it. */
  opened?: (write: (text: string) => void) => void;
  /** Characters that a line may have. */
  longest?: number;
}

/**
 * Opens a connection to `tcp://host:port` and returns the function that closes it. A server that sends faster than
 * its lines are read has to wait, and one that goes is lost once they are.
 */
export function openTcp(url: string, link: Link, { opened, longest, ...reading }: TcpHandlers): () => void {
  const { hostname, port } = new URL(url);
  const lines = new LineReader(longest);
  let lost: Bilingual | null = null;
  let isPaused = false;
  const backlog = new Backlog(reading, () => {
    if (lost !== null) link.lost(lost);
    else if (isPaused) connecting.then((socket) => socket.resume());
    isPaused = false;
  });
  const lose = (why: Bilingual) => {
    lost = why;
    if (backlog.isEmpty) link.lost(why);
  };
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    socket: {
      open(socket) {
        socket.setKeepAlive(true);
        link.opened();
        opened?.((text) => socket.write(text));
      },
      data(socket, bytes) {
        backlog.push(lines.take(bytes));
        if (!backlog.isFull || isPaused) return;
        isPaused = true;
        socket.pause();
      },
      close(_, error) {
        lose(codeOf(error) ?? CLOSED);
      },
      error(_, error) {
        lose(alike(error.name));
      },
      connectError(_, error) {
        lose(codeOf(error) ?? alike(error.name));
      },
    },
  });
  return () => {
    backlog.close();
    connecting.then(
      (socket) => socket.terminate(),
      () => {}, // connectError told it
    );
  };
}

const CLOSED = { en: "it closed the connection", de: "die Verbindung wurde von der Gegenseite geschlossen" };

const codeOf = (error: unknown): Bilingual | null => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? wordsOfNetwork(code) : null;
};
