import { eq, placeholder } from "drizzle-orm";
import { hashToken } from "../../kernel/crypto/crypto";
import { db, statement } from "../../kernel/db/connection";
import { isStoreTrouble } from "../../kernel/errors/errors";
import { pathOf } from "../../kernel/http/http";
import type { LogFields } from "../../kernel/logs/log";
import { boxes } from "../../sync/boxes/table";
import { trackers } from "../../tracking/trackers/table";
import { apiKeys } from "../api-keys/table";
import { oauthAccessTokens } from "../grants/table";
import { sessions } from "../sessions/table";
import { cookieToken, pageToken } from "./page";

/** The credential of a refused request, for the log: its kind and identifier, whether valid or not. */

const sessionBy = statement(() =>
  db
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.token_hash, placeholder("hash")))
    .prepare(),
);
const keyBy = statement(() =>
  db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.key_hash, placeholder("hash")))
    .prepare(),
);

const trackerBy = statement(() =>
  db
    .select({ id: trackers.id })
    .from(trackers)
    .where(eq(trackers.token_hash, placeholder("hash")))
    .prepare(),
);

const boxBy = statement(() =>
  db
    .select({ id: boxes.id })
    .from(boxes)
    .where(eq(boxes.token_hash, placeholder("hash")))
    .prepare(),
);

const tokenBy = statement(() =>
  db
    .select({ id: oauthAccessTokens.grant_id })
    .from(oauthAccessTokens)
    .where(eq(oauthAccessTokens.token_hash, placeholder("hash")))
    .prepare(),
);

/** The form that the guard and the handshake of the socket accept. */
const BEARER = /^Bearer +([!-~]+)$/i;
const BASIC = /^Basic /i;
/** The token of an app in the path or, of one door, in the query. */
const TRACKER = /^[^?]*\/v1\/ingest\/.*[/=](flt_[\w-]{43})(?![\w-])/;
const SOCKET = /^\/v1\/ws\/?$/;

/** Longer than any token of ours, and not worth hashing. */
const MAX_TOKEN_LENGTH = 128;

/** The token of a request: "" for a header that holds none, null without any credential. */
function tokenOf(request: Request): string | null {
  const header = request.headers.get("authorization");
  const tracker = TRACKER.exec(request.url)?.[1] ?? null;
  if (tracker !== null) return tracker;
  if (header !== null && BASIC.test(header))
    return Buffer.from(header.slice(6), "base64")
      .toString()
      .replace(/^[^:]*:/, "");
  if (header !== null) return BEARER.exec(header)?.[1] ?? "";
  if (!SOCKET.test(pathOf(request))) return pageToken(request);
  const parameter = new URL(request.url).searchParams.get("token");
  return parameter ?? cookieToken(request);
}

/** Kind and identifier of the session, key, grant, tracker or box that a request carries. Never the token itself. */
export function credentialOf(request: Request): LogFields {
  const token = tokenOf(request);
  if (token === null) return { credential: request.headers.has("x-id-app-key") ? "X-ID-App-Key" : "none" };
  if (token === "" || token.length > MAX_TOKEN_LENGTH) return { credential: "unknown" };
  try {
    return known(hashToken(token)) ?? { credential: "unknown" };
  } catch (error) {
    // A request is not refused because a line of the log can't be completed.
    if (isStoreTrouble(error)) return { credential: "unknown" };
    throw error;
  }
}

function known(hash: string): LogFields | undefined {
  const session = sessionBy().get({ hash });
  if (session) return { credential: "session", credential_id: session.id };
  const key = keyBy().get({ hash });
  if (key) return { credential: "key", credential_id: key.id };
  const token = tokenBy().get({ hash });
  if (token) return { credential: "access token", credential_id: token.id };
  const tracker = trackerBy().get({ hash });
  if (tracker) return { credential: "tracker", credential_id: tracker.id };
  const box = boxBy().get({ hash });
  return box && { credential: "box", credential_id: box.id };
}
