import { config } from "../../configuration/config";
import { lastingHash } from "../../kernel/crypto/encryption";

/** The broker of the configuration. */
export interface BrokerSettings {
  url: URL;
  username: string | null;
  password: string | null;
  clientId: string;
  /** First levels of all topics, without a slash at the end. */
  prefix: string;
  /** Name of this installation among others at a broker; it outlives a restore. */
  installation: string;
  /** True if the broker is to keep what comes while this client is away. */
  isKept: boolean;
}

/** Hexadecimal digits of an installation: with `fairlead` the 23 characters that each broker takes (MQTT 3.1.1, 3.1.3.1). */
const DIGITS = 15;

/** Null if no broker is configured. The master key must be loaded. */
export function brokerSettings(): BrokerSettings | null {
  const url = config["mqtt.url"];
  if (url === null) return null;
  const hash = lastingHash("mqtt", "installation");
  const installation = Buffer.from(hash, "base64").toString("hex").slice(0, DIGITS);
  return {
    url: new URL(url),
    username: config["mqtt.username"],
    password: config["mqtt.password"],
    clientId: config["mqtt.client_id"] ?? `fairlead${installation}`,
    prefix: config["mqtt.prefix"],
    installation,
    isKept: config["mqtt.owntracks"],
  };
}
