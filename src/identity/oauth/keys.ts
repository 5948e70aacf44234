import { asc, eq, lte } from "drizzle-orm";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { newId } from "../../kernel/crypto/id";
import { sealedColumn } from "../../kernel/crypto/sealed";
import { db, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { describeError, log } from "../../kernel/logs/log";
import { DAY, now } from "../../kernel/time/clock";
import { recordAudit } from "../audit/service";
import { oauthSigningKeys, type PublicKey } from "./table";

/**
 * The keys that sign ID tokens: ES256 (RFC 7518, section 3.4). They rotate: the next one is published a day before it
 * signs, so that clients which remember the key set know it by then, and the last one for a week after.
 */

const ALGORITHM = "ES256";

/** Milliseconds that a key signs, that the next one is published before, and that the last one is after. */
const SIGNS_FOR = 90 * DAY;
const LEAD = 1 * DAY;
const OVERLAP = 7 * DAY;

type Row = typeof oauthSigningKeys.$inferSelect;

const allKeys = statement(() =>
  db
    .select()
    .from(oauthSigningKeys)
    .orderBy(asc(oauthSigningKeys.signs_from), asc(oauthSigningKeys.id))
    .prepare(),
);

export const signingKeys = sealedColumn({
  what: { en: "keys of ID tokens", de: "Schlüssel der ID-Token" },
  ifLost: {
    en: "another key signs the next ID token, which applications find at /oauth/jwks",
    de: "das nächste ID-Token unterschreibt ein anderer Schlüssel, den Anwendungen unter /oauth/jwks finden",
  },
  table: "oauth_signing_keys",
  id: "id",
  column: "private_key",
  isReplaceable: true,
  boundTo: (id) => `signing key ${id}`,
});

interface NewKey {
  id: string;
  /** A JWK (RFC 7517), as text. */
  privateKey: string;
  publicKey: PublicKey;
}

async function makeKey(): Promise<NewKey> {
  const id = newId();
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const { x = "", y = "" } = await exportJWK(publicKey);
  return {
    id,
    privateKey: JSON.stringify(await exportJWK(privateKey)),
    publicKey: { kty: "EC", crv: "P-256", x, y, kid: id, alg: ALGORITHM, use: "sig" },
  };
}

/** The key that signs now: the one whose turn came last. The oldest one where the clock was set back behind all. */
const signing = (keys: Row[]): Row | undefined =>
  keys.findLast(({ signs_from }) => signs_from <= now()) ?? keys[0];

/** Stores a key in the current transaction, which signs from a time on; the others go some time after. */
function storeKey({ id, privateKey, publicKey }: NewKey, signsFrom: number, overlap: number): void {
  db.update(oauthSigningKeys)
    .set({ published_until: signsFrom + overlap })
    .run();
  db.insert(oauthSigningKeys)
    .values({
      ...{ id, private_key: signingKeys.seal(privateKey, id), public_key: publicKey },
      ...{ created_at: now(), signs_from: signsFrom },
    })
    .run();
  recordAudit({
    event_type: "signing_key_rotated",
    user_id: null,
    resource_type: "signing_key",
    resource_id: id,
  });
}

/** Removes the keys that are no longer published, in the current transaction. */
const dropOldKeys = (): void => {
  db.delete(oauthSigningKeys).where(lte(oauthSigningKeys.published_until, now())).run();
};

/** True if a key set needs another key: it has none, or its newest one has signed for its time. */
function needsNext(keys: Row[]): boolean {
  const newest = keys.at(-1);
  return newest === undefined || newest.signs_from + SIGNS_FOR <= now();
}

/**
 * The job: makes the next key when the present one has signed for its time, and the very first one; removes those that
 * nobody needs any more.
 */
export async function rotateKeysWhenDue(): Promise<void> {
  const made = needsNext(allKeys().all()) ? await makeKey() : null;
  await transact(() => {
    const keys = allKeys().all();
    // One whose turn lies further ahead than a lead is from a clock that was wrong.
    const late = keys.at(-1);
    if (late && keys.length > 1 && late.signs_from > now() + LEAD)
      db.update(oauthSigningKeys)
        .set({ signs_from: now() + LEAD })
        .where(eq(oauthSigningKeys.id, late.id))
        .run();
    if (made && needsNext(keys)) storeKey(made, keys.length === 0 ? now() : now() + LEAD, OVERLAP);
    dropOldKeys();
  });
}

/**
 * Makes the next key now, and returns its identifier and the time from which it signs. `atOnce` is for a key that others
 * may know: the new one signs now, and nothing that the others have signed is believed any more.
 */
export async function rotateKeys(atOnce: boolean): Promise<{ id: string; signsFrom: number }> {
  const made = await makeKey();
  return transact(() => {
    const isFirst = allKeys().all().length === 0;
    const signsFrom = atOnce || isFirst ? now() : now() + LEAD;
    if (atOnce) db.delete(oauthSigningKeys).run();
    storeKey(made, signsFrom, OVERLAP);
    dropOldKeys();
    return { id: made.id, signsFrom };
  });
}

/** The private keys in use, by their identifiers. */
const opened = new Map<string, CryptoKey>();

async function openKey({ id, private_key }: Row): Promise<CryptoKey | null> {
  const known = opened.get(id);
  if (known) return known;
  let jwk: JWK;
  try {
    jwk = JSON.parse(signingKeys.open(private_key, id));
  } catch (error) {
    log.error("a key that signs ID tokens can't be decrypted; another one is made", {
      key: id,
      ...describeError(error),
    });
    return null;
  }
  const key = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
  // At most a few keys are ever in use.
  opened.clear();
  opened.set(id, key);
  return key;
}

/** A key to sign with, and its identifier. */
export interface Signer {
  kid: string;
  key: CryptoKey;
}

/** The key that signs now; makes one where there is none that can be opened. */
export async function signer(): Promise<Signer> {
  for (;;) {
    const row = signing(allKeys().all());
    const key = row && (await openKey(row));
    if (row && key) return { kid: row.id, key };
    const made = await makeKey();
    await transact(() => {
      // Another request may have made one meanwhile.
      if (signing(allKeys().all())?.id === row?.id) storeKey(made, now(), OVERLAP);
    });
  }
}

/** Signs the claims of a JWT (RFC 7519). */
export const sign = (claims: Record<string, unknown>, { kid, key }: Signer): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" }).sign(key);

/** The public keys (RFC 7517): of what was signed, is signed, and will be signed next. */
export async function publishedKeys(): Promise<{ keys: PublicKey[] }> {
  if (allKeys().all().length === 0) await signer();
  const keys = allKeys()
    .all()
    .filter(({ published_until }) => published_until === null || published_until > now());
  return { keys: keys.map(({ public_key }) => public_key) };
}
