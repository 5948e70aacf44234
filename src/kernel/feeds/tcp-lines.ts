import { type Kept, keepConnection, type Link, type LinkTiming, type Told } from "./connection";
import { LineReader } from "./lines";

/** Lines that a server sends over TCP. Those who listen to the same server share one connection: some serve few. */

export interface LineListener {
  /** Takes a line; true if it makes sense to this listener. */
  take: (line: string) => boolean;
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
  const open = (link: Link) => {
    const lines = new LineReader();
    return openTcp(url, link, {
      opened() {
        for (const { opened } of listeners) opened?.();
      },
      data(bytes) {
        for (const line of lines.take(bytes)) take(link, line);
      },
    });
  };
  const made = { kept: keepConnection(tell, open, timing), listeners };
  shared.set(url, made);
  return made;
}

export interface TcpHandlers {
  /** Called when the connection is there, with the function that writes to it. */
  opened?: (write: (text: string) => void) => void;
  data: (bytes: Buffer) => void;
}

/** Opens a connection to `tcp://host:port` and returns the function that closes it. */
export function openTcp(url: string, link: Link, { opened, data }: TcpHandlers): () => void {
  const { hostname, port } = new URL(url);
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    socket: {
      open(socket) {
        socket.setKeepAlive(true);
        link.opened();
        opened?.((text) => socket.write(text));
      },
      data: (_, bytes) => data(bytes),
      close(_, error) {
        link.lost(codeOf(error) ?? "it closed the connection");
      },
      error(_, error) {
        link.lost(error.name);
      },
      connectError(_, error) {
        link.lost(codeOf(error) ?? error.name);
      },
    },
  });
  return () => {
    connecting.then(
      (socket) => socket.terminate(),
      () => {}, // connectError told it
    );
  };
}

const codeOf = (error: unknown): string | null => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : null;
};
