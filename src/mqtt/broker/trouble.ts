import { wordsOfNetwork } from "../../kernel/errors/network-trouble";
import { type Bilingual, BilingualError } from "../../kernel/values/bilingual";
import { BrokerFault, NO_MQTT, TOO_LARGE } from "./frames";

/** Words for what goes wrong between this program and the broker, as what "it" does. They quote nothing that it sent. */

const OTHER_VERSION = {
  en: "it does not speak this version of MQTT",
  de: "er spricht diese Version von MQTT nicht",
};
const CLIENT_ID = { en: "it refuses the client identifier", de: "er lehnt die Client-Kennung ab" };
const UNAVAILABLE = { en: "it is not available", de: "er steht nicht bereit" };
const PASSWORD = {
  en: "it refuses the user name or the password",
  de: "er lehnt den Benutzernamen oder das Passwort ab",
};
const UNAUTHORIZED = {
  en: "it does not authorize this client",
  de: "er gibt diesem Client kein Recht dazu",
};

/** Reasons of MQTT 3.1.1, section 3.2.2.3, and MQTT 5, section 2.4. */
const REASONS: Record<number, Bilingual> = {
  1: OTHER_VERSION,
  2: CLIENT_ID,
  3: UNAVAILABLE,
  4: PASSWORD,
  5: UNAUTHORIZED,
  128: {
    en: "it refuses for a reason that it does not tell",
    de: "er lehnt ab, ohne einen Grund zu nennen",
  },
  129: { en: "it holds a packet for malformed", de: "er hält ein Paket für fehlerhaft" },
  130: { en: "it tells of a protocol error", de: "er meldet einen Protokollfehler" },
  131: { en: "it refuses for a reason of its own", de: "er lehnt aus einem eigenen Grund ab" },
  132: OTHER_VERSION,
  133: CLIENT_ID,
  134: PASSWORD,
  135: UNAUTHORIZED,
  136: UNAVAILABLE,
  137: { en: "it is busy", de: "er ist ausgelastet" },
  138: { en: "it has banned this client", de: "er hat diesen Client gesperrt" },
  139: { en: "it shuts down", de: "er wird heruntergefahren" },
  140: { en: "it wants another way of authentication", de: "er verlangt eine andere Art der Anmeldung" },
  141: { en: "it has heard nothing for too long", de: "er hat zu lange nichts gehört" },
  142: {
    en: "another client with this client identifier has connected: set mqtt.client_id",
    de: "ein anderer Client hat sich mit dieser Client-Kennung verbunden: Setze mqtt.client_id",
  },
  143: { en: "it refuses a subscription", de: "er lehnt ein Abonnement ab" },
  144: { en: "it refuses the topic", de: "er lehnt das Topic ab" },
  147: { en: "it gets more than it wants at a time", de: "er bekommt mehr auf einmal, als er will" },
  149: { en: "it holds a packet for too large", de: "ihm ist ein Paket zu groß" },
  150: { en: "it gets more messages than it wants", de: "er bekommt mehr Nachrichten, als er will" },
  151: { en: "its quota is used up", de: "das Kontingent bei ihm ist aufgebraucht" },
  152: {
    en: "its administrator has ended the connection",
    de: "wer ihn verwaltet, hat die Verbindung beendet",
  },
  153: { en: "it refuses the form of a message", de: "er lehnt die Form einer Nachricht ab" },
  154: { en: "it keeps no retained messages", de: "er bewahrt keine Nachrichten auf (retain)" },
  155: {
    en: "it does not take messages that are to be acknowledged",
    de: "er nimmt keine Nachrichten, die er bestätigen soll",
  },
  156: { en: "it wants another server to be used", de: "er verweist auf einen anderen Server" },
  157: { en: "it has moved to another server", de: "er ist auf einen anderen Server umgezogen" },
  159: { en: "it gets connections too often", de: "ihm kommen Verbindungen zu oft" },
  160: { en: "it ends connections of that age", de: "er beendet Verbindungen, die so alt sind" },
};

const TLS = /^(?:ERR_)?(?:SSL|TLS)|EPROTO/;

/** An answer of the broker that refuses, with the reason that MQTT has for it. */
export class Refused extends BilingualError {
  readonly reason: number;

  constructor(reason: number) {
    super(REASONS[reason] ?? { en: `it refuses (reason ${reason})`, de: `er lehnt ab (Grund ${reason})` });
    this.reason = reason;
  }
}

/** The connection is gone; the message says why. */
export class Lost extends BilingualError {
  /** True if it was closed before the broker said anything, as by one that does not know this version of MQTT. */
  readonly isUnanswered: boolean;

  constructor(why: Bilingual, isUnanswered = false) {
    super(why);
    this.isUnanswered = isUnanswered;
  }
}

/** The words for an error of the library or of the connection. */
export function wordsOf(error: unknown): Bilingual {
  if (error instanceof BrokerFault || error instanceof Refused || error instanceof Lost) return error.words;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "number") return new Refused(code).words;
  const status = /^Unexpected server response: (\d{3})$/.exec(String(message))?.[1];
  if (status !== undefined)
    return {
      en: `there is no WebSocket at its address (status ${status})`,
      de: `unter seiner Adresse ist kein WebSocket (Status ${status})`,
    };
  if (typeof code !== "string") return NO_MQTT;
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return TOO_LARGE;
  return TLS.test(code) && !/CERT/.test(code)
    ? { en: `TLS fails (${code})`, de: `TLS scheitert (${code})` }
    : wordsOfNetwork(code);
}

/** The parts that a broker may refuse while the rest goes on. */
export const REFUSED = {
  subscription: { en: "a subscription", de: "ein Abonnement" },
  discovery: { en: "what is announced to Home Assistant", de: "die Ankündigungen für Home Assistant" },
};

/** The words for a part that the broker refuses. */
export const refusing = (what: keyof typeof REFUSED, { words }: Refused): Bilingual => ({
  en: `it refuses ${REFUSED[what].en}: ${words.en}`,
  de: `er lehnt ${REFUSED[what].de} ab: ${words.de}`,
});
