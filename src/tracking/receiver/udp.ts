import ipaddr from "ipaddr.js";
import type { Link } from "../../kernel/feeds/connection";
import { isWithin, type Ranges } from "../../kernel/values/address-ranges";

/** Datagrams that hold lines of text, from senders on a list alone: anybody in the network can send one. */

export interface DatagramHandlers {
  /** Listening began. */
  opened: () => void;
  line: (line: string) => void;
  /** A datagram of a sender who isn't on the list was left out. */
  refused: (sender: string) => void;
}

/** Listens at `udp://address:port` and returns the function that ends it. */
export function openUdp(url: string, allowed: Ranges, link: Link, handlers: DatagramHandlers): () => void {
  const { hostname, port } = new URL(url);
  let isClosed = false;
  const binding = Bun.udpSocket({
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    binaryType: "buffer",
    socket: {
      data(_, bytes, _port, sender) {
        if (isClosed) return;
        if (!isAllowed(sender, allowed)) handlers.refused(sender);
        // Each holds whole lines, of which the last may lack its end.
        else
          for (const line of bytes.toString("latin1").split(/[\r\n]+/)) if (line !== "") handlers.line(line);
      },
      error(_, error) {
        link.lost(codeOf(error));
      },
    },
  });
  binding.then(
    () => {
      if (isClosed) return;
      link.opened();
      handlers.opened();
    },
    (error) => link.lost(codeOf(error)),
  );
  return () => {
    isClosed = true;
    binding.then(
      (socket) => socket.close(),
      () => {}, // told above
    );
  };
}

/** A sender in the scope of an interface (`fe80::1%eth0`) is known by its address alone. */
function isAllowed(sender: string, allowed: Ranges): boolean {
  const address = sender.replace(/%.*$/, "");
  return ipaddr.isValid(address) && isWithin(ipaddr.process(address), allowed);
}

const codeOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(code ?? name);
};
