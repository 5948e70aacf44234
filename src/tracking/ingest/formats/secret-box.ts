import { secretbox } from "@noble/ciphers/salsa.js";

/** Bytes of the nonce in front and of the tag behind it (libsodium, crypto_secretbox_easy). */
const NONCE = 24;
const TAG = 16;
const KEY = 32;

/** The UTF-8 bytes of a secret, cut or padded with zeros: OwnTracks derives no key. */
export function secretBoxKey(secret: string): Uint8Array {
  const key = new Uint8Array(KEY);
  key.set(new TextEncoder().encode(secret).subarray(0, KEY));
  return key;
}

/** The text in base64 of nonce, tag and ciphertext; null if the secret doesn't open it. */
export function openSecretBox(data: string, secret: string): string | null {
  const bytes = Buffer.from(data, "base64");
  if (bytes.length < NONCE + TAG) return null;
  try {
    const box = secretbox(secretBoxKey(secret), bytes.subarray(0, NONCE));
    return new TextDecoder().decode(box.open(bytes.subarray(NONCE)));
  } catch {
    return null;
  }
}
