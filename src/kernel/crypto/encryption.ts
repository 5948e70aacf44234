import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** AES-256-GCM (NIST SP 800-38D) under the installation's master key. */
const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The keys in use. The first of each list is for what is new; the others are former ones, which still open and match. */
export interface KeyRing {
  /** Master keys, 32 bytes each. */
  master: Buffer[];
  /** Keys of `keyedHash`, the newest first. */
  hash: Buffer[];
}

/** Tells of keys that another process has changed (kernel/db/master-key.ts). */
export interface KeyWatch {
  /** Called before a value is encrypted or hashed: takes a new key into use. */
  beforeUse: (what: "encrypt" | "hash") => void;
  /** Called if no key opens a value: true if there are other keys by now. */
  afterFailure: () => boolean;
}

let ring: KeyRing = { master: [], hash: [] };
let watch: KeyWatch = { beforeUse: () => {}, afterFailure: () => false };

/** Takes keys into use for this process. */
export function useKeys(keys: KeyRing): void {
  ring = keys;
}

/** Takes master keys into use, of which the first is the present one, with the keys of hashes that follow from them. */
export function useMasterKey(...master: Buffer[]): void {
  ring = { master, hash: master.map(hashKeyOf) };
}

export const keysInUse = (): KeyRing => ring;

export function watchKeys(by: KeyWatch): void {
  watch = by;
}

/** The key of `keyedHash` under a master key: a key for each purpose (NIST SP 800-57, section 5.2), by HKDF (RFC 5869). */
export const hashKeyOf = (master: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", master, "", "fairlead keyed hash", 32));

function first(keys: Buffer[]): Buffer {
  const [key] = keys;
  if (!key) throw new Error("no master key is loaded");
  return key;
}

/**
 * Encrypts a text in base64. `boundTo` names the record that it belongs to: put into another record, it can't be
 * decrypted (it is authenticated as additional data). Call it in the transaction that stores it, so that a rotation of the
 * key misses no value. Only sealed.ts calls it: what is encrypted elsewhere would be lost with the next rotation.
 */
export function encrypt(plain: string, boundTo: string): string {
  watch.beforeUse("encrypt");
  return encryptWith(first(ring.master), plain, boundTo);
}

/** Reverses `encrypt`. Throws for another key, another record or a changed text. */
export function decrypt(sealed: string, boundTo: string): string {
  const opened = openWithAny(sealed, boundTo) ?? (watch.afterFailure() ? openWithAny(sealed, boundTo) : null);
  if (opened === null) throw new Error("it can't be decrypted with the master key");
  return opened;
}

function openWithAny(sealed: string, boundTo: string): string | null {
  first(ring.master);
  for (const key of ring.master) {
    const opened = openWith(key, sealed, boundTo);
    if (opened !== null) return opened;
  }
  return null;
}

/** `encrypt` with a given key. */
export function encryptWith(key: Buffer, plain: string, boundTo: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

/** The text that was encrypted with this key for this record; null if it wasn't. */
export function openWith(key: Buffer, sealed: string, boundTo: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
      "utf8",
    );
  } catch {
    return null;
  }
}

const hashWith = (key: Buffer, secret: string, boundTo: string): string =>
  createHmac("sha256", key).update(`${boundTo}\0${secret}`).digest("base64");

/**
 * HMAC-SHA256 under a key that is the installation's own, in base64: for secrets that people type, which are too short to
 * be stored as a plain hash. `boundTo` names the record that it belongs to.
 */
export function keyedHash(secret: string, boundTo: string): string {
  watch.beforeUse("hash");
  return hashWith(first(ring.hash), secret, boundTo);
}

/** `keyedHash`, and what it was under former keys, the newest first: for what is compared with stored hashes. */
export function keyedHashes(secret: string, boundTo: string): string[] {
  const newest = keyedHash(secret, boundTo);
  return [newest, ...ring.hash.slice(1).map((key) => hashWith(key, secret, boundTo))];
}

/** `keyedHash` under the oldest key: what names the installation must outlive a rotation. */
export function lastingHash(secret: string, boundTo: string): string {
  watch.beforeUse("hash");
  return hashWith(first(ring.hash.slice(-1)), secret, boundTo);
}

/** Tells two master keys apart, and reveals nothing about either. */
export const fingerprintOf = (master: Buffer): string => hashWith(hashKeyOf(master), "", "accepted key");
