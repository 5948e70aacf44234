import { wordsOfNetwork } from "../../kernel/http/network-trouble";
import { BrokerFault } from "./frames";

/** Words for what goes wrong between this program and the broker, as what "it" does. They quote nothing that it sent. */

/** Reasons of MQTT 3.1.1, section 3.2.2.3, and MQTT 5, section 2.4. */
const REASONS: Record<number, string> = {
  1: "it does not speak this version of MQTT",
  2: "it refuses the client identifier",
  3: "it is not available",
  4: "it refuses the user name or the password",
  5: "it does not authorize this client",
  128: "it refuses for a reason that it does not tell",
  129: "it holds a packet for malformed",
  130: "it tells of a protocol error",
  131: "it refuses for a reason of its own",
  132: "it does not speak this version of MQTT",
  133: "it refuses the client identifier",
  134: "it refuses the user name or the password",
  135: "it does not authorize this client",
  136: "it is not available",
  137: "it is busy",
  138: "it has banned this client",
  139: "it shuts down",
  140: "it wants another way of authentication",
  141: "it has heard nothing for too long",
  142: "another client with this client identifier has connected: set mqtt.client_id",
  143: "it refuses a subscription",
  144: "it refuses the topic",
  147: "it gets more than it wants at a time",
  149: "it holds a packet for too large",
  150: "it gets more messages than it wants",
  151: "its quota is used up",
  152: "its administrator has ended the connection",
  153: "it refuses the form of a message",
  154: "it keeps no retained messages",
  155: "it does not take messages that are to be acknowledged",
  156: "it wants another server to be used",
  157: "it has moved to another server",
  159: "it gets connections too often",
  160: "it ends connections of that age",
};

const TLS = /^(?:ERR_)?(?:SSL|TLS)|EPROTO/;

/** An answer of the broker that refuses, with the reason that MQTT has for it. */
export class Refused extends Error {
  readonly reason: number;

  constructor(reason: number) {
    super(REASONS[reason] ?? `it refuses (reason ${reason})`);
    this.reason = reason;
  }
}

/** The connection is gone; the message says why. */
export class Lost extends Error {
  /** True if it was closed before the broker said anything, as by one that does not know this version of MQTT. */
  readonly isUnanswered: boolean;

  constructor(why: string, isUnanswered = false) {
    super(why);
    this.isUnanswered = isUnanswered;
  }
}

/** The words for an error of the library or of the connection. */
export function wordsOf(error: unknown): string {
  if (error instanceof BrokerFault || error instanceof Refused || error instanceof Lost) return error.message;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "number") return new Refused(code).message;
  const status = /^Unexpected server response: (\d{3})$/.exec(String(message))?.[1];
  if (status !== undefined) return `there is no WebSocket at its address (status ${status})`;
  if (typeof code !== "string") return "it does not speak MQTT";
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return "it sends packets that are too large";
  return TLS.test(code) && !/CERT/.test(code) ? `TLS fails (${code})` : wordsOfNetwork(code);
}
