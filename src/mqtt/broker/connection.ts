import { type Kept, keepConnection, LINK_TIMING, type Link } from "../../kernel/feeds/connection";
import { log } from "../../kernel/logs/log";
import type { Bilingual } from "../../kernel/values/bilingual";
import { type Incoming, Session, type SessionHandlers, type Version } from "./session";
import type { BrokerSettings } from "./settings";
import { counts, noteConnected, noteDisconnected, noteTrouble } from "./state";
import { Lost, Refused, wordsOf } from "./trouble";

/** Keeps up the connection to the broker: made anew when it is lost or hangs, with growing pauses and jitter. */

export interface BrokerUser {
  /** A connection is there, until `disconnected` is called. */
  connected: (session: Session) => void;
  disconnected: () => void;
  /** Takes a message; it is acknowledged when this resolves. */
  take: (message: Incoming) => Promise<void>;
}

/** Reasons of an answer to a version that the broker does not speak (MQTT 3.1.1, 3.2.2.3; MQTT 5, 3.2.2.2). */
const OTHER_VERSION = [1, 132];

const mayBeOlder = (error: unknown): boolean =>
  error instanceof Refused
    ? OTHER_VERSION.includes(error.reason)
    : error instanceof Lost && error.isUnanswered;

let current: Session | null = null;

/** The connection; null while there is none. */
export const currentSession = (): Session | null => current;

/** Milliseconds for which a stop waits for the broker's answer. */
const CLOSE_TIMEOUT = 1_000;

export interface BrokerLink {
  /** Ends the connection with the broker's knowledge, and makes no other. */
  stop: () => Promise<void>;
}

export function keepBroker(settings: BrokerSettings, user: BrokerUser): BrokerLink {
  /** The version that the broker spoke last; the newer one is tried first until then. */
  let spoken: Version = 5;
  /** The last words of the log: null before the first, an empty text while the broker is connected. */
  let told: string | null = null;
  let isStopping = false;

  const tell = {
    speaks() {
      if (told !== "") log.info("the MQTT broker is connected", { protocol: spoken === 5 ? "5.0" : "3.1.1" });
      told = "";
      noteTrouble("connection", null);
    },
    fails(why: Bilingual) {
      if (isStopping) return;
      if (told !== why.en) log.warn("the MQTT broker is not connected", { why: why.en });
      told = why.en;
      noteTrouble("connection", why);
    },
  };

  async function connect(handlers: SessionHandlers, signal: AbortSignal): Promise<Session> {
    try {
      return await Session.connect(settings, spoken, handlers, signal);
    } catch (error) {
      if (spoken !== 5 || signal.aborted || !mayBeOlder(error)) throw error;
      const session = await Session.connect(settings, 4, handlers, signal).catch((second) => {
        // Of one that closes either way the first answer says no less.
        throw second instanceof Lost && second.isUnanswered ? error : second;
      });
      spoken = 4;
      return session;
    }
  }

  const open = (link: Link) => {
    const giveUp = new AbortController();
    let own: Session | null = null;
    const end = () => {
      if (own === null || current !== own) return;
      current = null;
      noteDisconnected();
      user.disconnected();
    };
    const handlers: SessionHandlers = {
      take: user.take,
      cut: () => counts.received.of("too_large").add(),
      heard: link.heard,
      lost(why) {
        end();
        link.lost(why);
      },
    };
    connect(handlers, giveUp.signal).then(
      (session) => {
        if (giveUp.signal.aborted) return session.destroy();
        own = session;
        current = session;
        link.opened();
        link.heard();
        noteConnected(session.version);
        user.connected(session);
      },
      (error) => link.lost(wordsOf(error)),
    );
    return () => {
      giveUp.abort();
      end();
      own?.destroy();
    };
  };

  const kept: Kept = keepConnection(tell, open, LINK_TIMING);
  kept.connect();
  return {
    async stop() {
      isStopping = true;
      const session = current;
      if (session) await Promise.race([session.close(), Bun.sleep(CLOSE_TIMEOUT)]);
      kept.disconnect();
    },
  };
}
