import { decodeMessage } from "./ais";
import { keepConnection, LINK_TIMING, type Link } from "./connection";
import { LineReader, MessageReader } from "./sentences";
import type { Hear, Source } from "./source";

/** A receiver that serves NMEA lines over TCP, such as `rtl_ais -T`: everything within its range is near. */

/** Keeps listening to the receiver at `tcp://host:port`. */
export function startNmea(url: string, hear: Hear, timing = LINK_TIMING): Source {
  const { hostname, port } = new URL(url);
  const address = { hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  const kept = keepConnection("nmea", (link) => open(address, hear, link), timing);
  kept.connect();
  return { look() {}, isOpen: kept.isOpen, stop: kept.disconnect };
}

function open(address: { hostname: string; port: number }, hear: Hear, link: Link): () => void {
  const lines = new LineReader();
  const messages = new MessageReader();
  const connecting = Bun.connect({
    ...address,
    socket: {
      open(socket) {
        socket.setKeepAlive(true);
        link.opened();
      },
      data(_, bytes) {
        for (const line of lines.take(bytes))
          for (const { payload, fillBits } of messages.take(line)) {
            link.heard();
            const report = decodeMessage(payload, fillBits);
            if (report) hear(report);
          }
      },
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
