import ipaddr from "ipaddr.js";
import { Backlog, type LineReading } from "../../kernel/feeds/backlog";
import type { Link } from "../../kernel/feeds/connection";
import { isWithin, type Ranges } from "../../kernel/values/address-ranges";
import type { Bilingual } from "../../kernel/values/bilingual";

/** Datagrams that hold lines of text, from senders on a list alone: anybody in the network can send one. */

export interface DatagramHandlers extends LineReading {
  /** Listening began. */
  opened: () => void;
  /** A datagram of a sender who isn't on the list was left out. */
  refused: (sender: string) => void;
  /** A datagram was left out, since those before it are still to be read. */
  overrun: () => void;
}

/** Listens at `udp://address:port` and returns the function that ends it. */
export function openUdp(url: string, allowed: Ranges, link: Link, handlers: DatagramHandlers): () => void {
  const { hostname, port } = new URL(url);
  const { opened, refused, overrun, ...reading } = handlers;
  const backlog = new Backlog(reading);
  let isClosed = false;
  // Bun throws some errors at once, and refuses others later.
  const binding = Promise.try(() =>
    Bun.udpSocket({
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port),
      binaryType: "buffer",
      socket: {
        data(_, bytes, _port, sender) {
          if (isClosed) return;
          if (!isAllowed(sender, allowed)) refused(sender);
          else if (backlog.isFull) overrun();
          // Each holds whole lines, of which the last may lack its end.
          else backlog.push(bytes.toString("latin1").split(/[\r\n]+/));
        },
        error(_, error) {
          link.lost(troubleOf(error));
        },
      },
    }),
  );
  binding.then(
    () => {
      if (isClosed) return;
      link.opened();
      opened();
    },
    (error) => link.lost(troubleOf(error)),
  );
  return () => {
    isClosed = true;
    backlog.close();
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

function troubleOf(error: unknown): Bilingual {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const quoted = String(code ?? name);
  return {
    en: `its address cannot be listened on (${quoted})`,
    de: `unter der Adresse lässt sich nichts empfangen (${quoted})`,
  };
}
