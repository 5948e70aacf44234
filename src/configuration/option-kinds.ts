import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Rate } from "../kernel/limits/rate-limit";
import { isAndroidApp, isPasskeyOrigin } from "./passkey-origins";

/** The kinds of the operator's options: each reads a value, and words the error of a wrong one. */

export interface Option<T> {
  default: T;
  /** Checks a value, of the file in any TOML type. Throws a phrase: "must be …". */
  read: (raw: unknown) => T;
  /** Converts a text of the environment into the argument of `read`, if that is not the text itself. */
  fromEnvironment?: (text: string) => unknown;
  /** A phrase that `config` prints above the key. */
  meaning: string;
  /** Its allowed values, as a phrase, unless any text will do. */
  values?: string;
  secret?: true;
}

export class Refusal extends Error {}

const refuse = (phrase: string): never => {
  throw new Refusal(phrase);
};

const asText = (raw: unknown): string =>
  typeof raw !== "string"
    ? refuse("must be a string")
    : raw.trim() === ""
      ? refuse("must not be empty; leave it out to use the default")
      : raw;

export function text(fallback: string, meaning: string): Option<string>;
export function text(fallback: null, meaning: string): Option<string | null>;
export function text(fallback: string | null, meaning: string): Option<string | null> {
  return { default: fallback, read: asText, meaning };
}

/** A host name or an IP address, in the form of URLs: `0` is 0.0.0.0. An IPv6 address may come in brackets, as there. */
export const host = (fallback: string, meaning: string): Option<string> => ({
  default: fallback,
  read: (raw) => {
    const bare = asText(raw).replace(/^\[(.+)\]$/, "$1");
    const url = `http://${isIPv6(bare) ? `[${bare}]` : bare}`;
    const isAddress = isIPv6(bare) || /^[\d.]+$/.test(bare);
    return isAddress && URL.canParse(url)
      ? new URL(url).hostname.replace(/^\[(.+)\]$/, "$1")
      : bare.toLowerCase();
  },
  meaning,
});

/** A value that `config` shows only as "set". */
export const secret = (meaning: string, minimumLength = 1): Option<string | null> => ({
  default: null,
  read: (raw) =>
    asText(raw).length >= minimumLength
      ? asText(raw)
      : refuse(`must be at least ${minimumLength} characters long`),
  meaning,
  secret: true,
});

export const integer = (
  fallback: number,
  minimum: number,
  maximum: number,
  meaning: string,
): Option<number> => ({
  default: fallback,
  read: (raw) =>
    typeof raw === "number" && Number.isInteger(raw) && raw >= minimum && raw <= maximum
      ? raw
      : refuse(`must be a whole number from ${minimum} to ${maximum}`),
  fromEnvironment: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  meaning,
  values: `${minimum} to ${maximum}`,
});

export const boolean = (fallback: boolean, meaning: string): Option<boolean> => ({
  default: fallback,
  read: (raw) => (typeof raw === "boolean" ? raw : refuse("must be true or false")),
  fromEnvironment: (text) => (text === "true" ? true : text === "false" ? false : text),
  meaning,
  values: "true or false",
});

export function choice<const T extends string>(fallback: T, words: readonly T[], meaning: string): Option<T>;
export function choice<const T extends string>(
  fallback: null,
  words: readonly T[],
  meaning: string,
): Option<T | null>;
export function choice<const T extends string>(
  fallback: T | null,
  words: readonly T[],
  meaning: string,
): Option<T | null> {
  return {
    default: fallback,
    read: (raw) => words.find((word) => word === raw) ?? refuse(`must be one of ${words.join(", ")}`),
    meaning,
    values: words.join(", "),
  };
}

export const list = (
  fallback: string[],
  check: (item: string) => string,
  meaning: string,
): Option<string[]> => ({
  default: fallback,
  read: (raw) => (Array.isArray(raw) ? raw.map((item) => check(asText(item))) : refuse("must be a list")),
  fromEnvironment: (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  meaning,
  values: "a list",
});

/** A pair of names, such as a group and the role that it stands for. */
export type Pair = readonly [from: string, to: string];

/** Pairs, as a table, or as texts `from=to`: what is on the left may hold `=` itself. */
export const pairs = (meaning: string): Option<readonly Pair[]> => ({
  default: [],
  read(raw) {
    const split = (item: unknown): Pair => {
      const [, from = "", to = ""] = /^\s*(.+?)\s*=\s*([^=]+?)\s*$/.exec(asText(item)) ?? [];
      return from !== "" && to !== "" ? [from, to] : refuse("must list pairs such as group=Role");
    };
    if (Array.isArray(raw)) return raw.map(split);
    if (typeof raw === "string") return raw.split(",").map(split);
    return typeof raw === "object" && raw !== null
      ? Object.entries(raw).map(([from, to]): Pair => [from, asText(to)])
      : refuse("must list pairs such as group=Role");
  },
  meaning,
  values: "pairs such as group=Role",
});

/** An issuer (OpenID Connect Discovery 1.0, section 3), kept as it is: a slash at its end is part of the name. */
export const issuer = (meaning: string): Option<string | null> => ({
  default: null,
  read(raw) {
    const { search, hash, username, password } = parsedUrl(raw, ["http:", "https:"]);
    return search === "" && hash === "" && username === "" && password === ""
      ? asText(raw)
      : refuse("must be a URL without user, password, query and fragment");
  },
  meaning,
});

/** A scope (RFC 6749, section 3.3). */
export const asScope = (item: string): string =>
  /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(item) ? item : refuse("must list scopes without blanks and quotes");

function parsedUrl(raw: unknown, protocols: string[]): URL {
  const url = URL.parse(asText(raw));
  return url && protocols.includes(url.protocol)
    ? url
    : refuse(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
}

/** An absolute URL, kept without a slash at its end, so that paths can be appended. */
export const url = (
  fallback: string | null,
  meaning: string,
  protocols = ["http:", "https:"],
): Option<string | null> => ({
  default: fallback,
  read: (raw) => parsedUrl(raw, protocols).href.replace(/\/+$/, ""),
  meaning,
});

/** A URL that has a default. */
export const address = (fallback: string, meaning: string): Option<string> =>
  url(fallback, meaning) as Option<string>;

/** The identifier of a record. */
export const uuid = (meaning: string): Option<string | null> => ({
  default: null,
  read: (raw) =>
    /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(asText(raw))
      ? asText(raw).toLowerCase()
      : refuse("must be an identifier such as 019a8f3c-2b7e-7c41-9d05-6f1e2a3b4c5d"),
  meaning,
});

export const asOrigin = (item: string): string => {
  const parsed = parsedUrl(item, ["http:", "https:"]);
  // A `*` within a host would be taken literally, and never match.
  return parsed.origin === item.replace(/\/$/, "") && !item.includes("*")
    ? parsed.origin
    : refuse("must list origins such as https://app.example");
};

/** An origin that may ask for passkeys. */
export const asPasskeyOrigin = (item: string): string => {
  if (isAndroidApp(item)) return item;
  const origin = asOrigin(item);
  return isPasskeyOrigin(origin)
    ? origin
    : refuse("must list origins that can have passkeys: https:// and a host name, or http://localhost");
};

export const asAddressRange = (item: string): string =>
  ipaddr.isValid(item) || ipaddr.isValidCIDR(item) ? item : refuse("must list IP addresses or CIDR ranges");

/** A host or HOST:PORT, with the host as parsers of web addresses write it. */
export const asHost = (item: string): string => {
  const [, host = "", port] = /^([^:/?#@\s]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?$/.exec(item) ?? [];
  const parsed = URL.parse(`http://${host}/`);
  if (host === "" || !parsed || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535)
    return refuse("must list hosts such as localhost, or with a port such as 127.0.0.1:8080");
  const name = parsed.hostname.replace(/\.$/, "");
  return port === undefined ? name : `${name}:${Number(port)}`;
};

export const asLocale = (item: string): string =>
  item === "en" || item === "de" ? item : refuse("must list en or de");

/** The kinds of what is published to an MQTT broker. */
export const MQTT_KINDS = ["positions", "zones", "alerts", "trips"] as const;

export const asMqttKind = (item: string): string =>
  MQTT_KINDS.some((kind) => kind === item) ? item : refuse(`must list some of ${MQTT_KINDS.join(", ")}`);

/** The kinds of what a server aboard tells the shore. */
export const SYNC_KINDS = ["devices", "trips", "positions", "zone_events", "alerts", "log_entries"] as const;
export type SyncKind = (typeof SYNC_KINDS)[number];

export const asSyncKind = (item: string): string =>
  SYNC_KINDS.some((kind) => kind === item) ? item : refuse(`must list some of ${SYNC_KINDS.join(", ")}`);

const SPAN = /^\s*(\d|[01]\d|2[0-3])-(\d|[01]\d|2[0-4])\s*$/;

/** Hours of the day: `never`, `always`, or spans of whole hours such as `8-18,22-6`, whose ends are no longer part of them. */
export const hours = (fallback: string, meaning: string): Option<string> => ({
  default: fallback,
  read: (raw) => {
    const spans = (Array.isArray(raw) ? raw.map(asText).join(",") : asText(raw)).trim();
    if (spans === "never" || spans === "always") return spans;
    const isSpan = (span: string): boolean => {
      const [, from, to] = SPAN.exec(span) ?? [];
      return from !== undefined && Number(from) !== Number(to);
    };
    return spans.split(",").every(isSpan)
      ? spans.replace(/\s/g, "")
      : refuse("must be never, always, or hours such as 8-18,22-6");
  },
  meaning,
  values: "never, always, or hours such as 8-18,22-6",
});

/** True if an hour of the day (0 to 23) is one of `hours`. */
export function isWithinHours(spans: string, hour: number): boolean {
  if (spans === "never" || spans === "always") return spans === "always";
  return spans.split(",").some((span) => {
    const [from = 0, to = 0] = span.split("-").map(Number);
    return from < to ? hour >= from && hour < to : hour >= from || hour < to;
  });
}

/** The first levels of topics (MQTT 5, section 4.7): letters and digits, so that every broker and every template takes them. */
export const topicPrefix = (fallback: string, meaning: string): Option<string> => ({
  default: fallback,
  read: (raw) =>
    /^[A-Za-z0-9_-]{1,64}(?:\/[A-Za-z0-9_-]{1,64}){0,7}$/.test(asText(raw))
      ? asText(raw)
      : refuse("must be letters, digits, _ and -, in up to eight levels divided by /"),
  meaning,
});

export const rate = (requests: number, seconds: number, meaning: string): Option<Rate> => ({
  default: { requests, seconds },
  read(raw) {
    const parts = typeof raw === "string" ? /^(\d{1,9})\/(\d{1,7})$/.exec(raw) : null;
    const value = parts && { requests: Number(parts[1]), seconds: Number(parts[2]) };
    return value && value.requests > 0 && value.seconds > 0
      ? value
      : refuse("must be requests/seconds, such as 10/60");
  },
  meaning,
  values: "requests/seconds",
});

export const key32: Option<string | null> = {
  ...secret(
    "key that encrypts stored secrets, 32 bytes in base64; without it, master.key in the data directory is used, and created at the first start",
  ),
  read: (raw) =>
    /^[A-Za-z0-9+/]{43}=?$/.test(asText(raw))
      ? asText(raw)
      : refuse("must be 32 bytes in base64 (openssl rand -base64 32)"),
};

/** The options of a platform on which users connect accounts. */
export const integration = (
  platform: string,
  authorize: string,
  token: string,
  revoke: string,
  api: string,
) =>
  ({
    client_id: text(null, `client ID of this installation at ${platform}`),
    client_secret: secret(`client secret of this installation at ${platform}`),
    authorize_url: address(authorize, "where the browser is sent for consent"),
    token_url: address(token, "where codes and refresh tokens are exchanged"),
    revoke_url: address(revoke, "where tokens are revoked"),
    api_url: address(api, "base URL of the API"),
  }) as const;

type Integration = ReturnType<typeof integration>;

/** Spreads an integration's options into dotted keys. */
export const prefixed = <P extends string>(platform: P, options: Integration) =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [`integrations.${platform}.${key}`, option]),
  ) as { [K in keyof Integration as `integrations.${P}.${K}`]: Integration[K] };
