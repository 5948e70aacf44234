import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** AES-256-GCM (NIST SP 800-38D) under the installation's master key. */
const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

let masterKey: Buffer | null = null;
let hashKey: Buffer | null = null;

/** Sets the key for this process: 32 bytes. */
export function useMasterKey(key: Buffer): void {
  masterKey = key;
  // A key for each purpose (NIST SP 800-57, section 5.2), derived by HKDF (RFC 5869).
  hashKey = Buffer.from(hkdfSync("sha256", key, "", "fairlead keyed hash", 32));
}

function key(): Buffer {
  if (!masterKey) throw new Error("no master key is loaded");
  return masterKey;
}

/**
 * Encrypts a text in base64. `boundTo` names the record that it belongs to: put into another record, it can't be
 * decrypted (it is authenticated as additional data).
 */
export function encrypt(plain: string, boundTo: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key(), iv);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Reverses `encrypt`. Throws for another key, another record or a changed text. */
export function decrypt(sealed: string, boundTo: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return plain.toString("utf8");
}

/**
 * HMAC-SHA256 under a key derived from the master key, in base64: for secrets that people type, which are too short to
 * be stored as a plain hash. `boundTo` names the record that it belongs to.
 */
export function keyedHash(secret: string, boundTo: string): string {
  if (!hashKey) throw new Error("no master key is loaded");
  return createHmac("sha256", hashKey).update(`${boundTo}\0${secret}`).digest("base64");
}
