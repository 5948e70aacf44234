import { boundedFetch, jsonOf, OutboundError, retryAfter } from "../../kernel/http/outbound";
import { now, SECOND } from "../../kernel/time/clock";
import { isObject, type Json } from "../../kernel/values/json";
import { platformTrouble } from "./oauth";
import { registrationWith } from "./platforms";
import type { PlatformSlug } from "./words";

/** Reads a platform's API with a user's token. */

const BOUNDS = { timeout: 10 * SECOND, maxBytes: 1_048_576 };

/** The platform no longer accepts the token. */
export class TokenRefused extends Error {}

/** The platform refuses this information about this account. */
export class NotPermitted extends Error {}

/** The account exists, but has no channel that could be connected. */
export class NoChannel extends Error {}

/** One user's view of a platform's API. Throws TokenRefused, NotPermitted, and 503. */
export interface Api {
  get: (path: string, query?: Record<string, string>) => Promise<Json>;
  /** A value that the platform's answer must hold; throws 503 if it is missing. */
  need: <T>(value: T | null | undefined, what: string) => T;
}

/** `path` is appended to the configured address; it must hold nothing from a client. */
export function apiOf(slug: PlatformSlug, accessToken: string): Api {
  const { apiUrl, clientId } = registrationWith(slug);
  const headers: Record<string, string> = {
    accept: "application/json",
    authorization: `Bearer ${accessToken}`,
    ...(slug === "twitch" && { "client-id": clientId }),
  };
  return {
    async get(path, query = {}) {
      try {
        const url = `${apiUrl}${path}?${new URLSearchParams(query)}`;
        const answer = await boundedFetch(url, { headers }, BOUNDS);
        if (answer.status === 401) throw new TokenRefused();
        if (answer.status === 400 || answer.status === 403) throw new NotPermitted();
        if (answer.status !== 200)
          throw platformTrouble(slug, `status ${answer.status}`, retryAfter(answer, now()));
        const body = await jsonOf(answer);
        if (!isObject(body)) throw new OutboundError("not a JSON object");
        return body;
      } catch (error) {
        if (error instanceof OutboundError) throw platformTrouble(slug, error.message);
        throw error;
      }
    },
    need(value, what) {
      if (value === null || value === undefined) throw platformTrouble(slug, `no ${what} in the answer`);
      return value;
    },
  };
}

/**
 * Asks Twitch if a token is still valid, which Twitch requires every hour: at `validate` beside the
 * configured token address or, if that is no `…/token`, by a request to the configured API. Throws
 * TokenRefused and 503.
 */
export async function validateTwitchToken(accessToken: string): Promise<void> {
  const address = new URL(registrationWith("twitch").tokenUrl);
  if (!address.pathname.endsWith("/token")) return askAnything(accessToken);
  address.pathname = address.pathname.replace(/token$/, "validate");
  try {
    const answer = await boundedFetch(
      address,
      { headers: { authorization: `OAuth ${accessToken}` } },
      BOUNDS,
    );
    const { status } = answer;
    if (status === 429 || status >= 500)
      throw platformTrouble("twitch", `status ${status}`, retryAfter(answer, now()));
    // Only Twitch's own wording counts: a gateway may refuse paths that it doesn't know.
    const body: unknown = status === 401 ? await answer.json().catch(() => null) : null;
    if (isObject(body) && body.status === 401) throw new TokenRefused();
  } catch (error) {
    if (error instanceof OutboundError) throw platformTrouble("twitch", error.message);
    throw error;
  }
}

async function askAnything(accessToken: string): Promise<void> {
  try {
    await apiOf("twitch", accessToken).get("/users");
  } catch (error) {
    // "Not permitted" is an answer, too: the token is valid.
    if (!(error instanceof NotPermitted)) throw error;
  }
}

// --- Reading JSON of unknown shape -------------------------------------------------------------------------

/** The first of a list of objects; null when there is none. */
export const firstOf = (value: unknown): Json | null =>
  Array.isArray(value) && isObject(value[0]) ? value[0] : null;

/** Characters of a text that are kept. */
const MAX_TEXT = 2_048;

export const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value.slice(0, MAX_TEXT).toWellFormed() : null;

/** A count, which YouTube sends as text; 0 for anything else. */
export function countOf(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** The address of a picture; null for anything but http and https. */
export function pictureOf(value: unknown): string | null {
  const text = textOf(value);
  const url = text === null ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** Null for information that is not permitted; any other failure, a refused token included, is thrown. */
export async function orNothing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotPermitted) return null;
    throw error;
  }
}
