import { randomInt } from "node:crypto";
import { keyedHash, keyedHashes } from "../../kernel/crypto/encryption";

/** Letters and digits that can't be mistaken for one another: 32 of them, 5 bits each. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GROUP = 5;

/** Number of codes made at a time (rule A6). */
export const CODES = 10;

/** With this many codes left or fewer, the user is reminded to make new ones (rule A6). */
export const FEW = 3;

const group = () => Array.from({ length: GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Ten fresh codes, `XXXXX-XXXXX`. */
export function newBackupCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(`${group()}-${group()}`);
  return [...codes];
}

/** The stored form of a typed code: lower case, no hyphen (rule C3). Null for text that is no code. */
export function normalizeBackupCode(typed: string): string | null {
  const plain = typed.trim().toUpperCase();
  const parts = /^([A-HJ-NP-Z2-9]{5})-?([A-HJ-NP-Z2-9]{5})$/.exec(plain);
  return parts && `${parts[1]}-${parts[2]}`;
}

/** Hash by which a new code is stored, keyed: 50 bits alone could be guessed offline (rule C3). */
export const hashBackupCode = (userId: string, code: string): string =>
  keyedHash(code, `backup code ${userId}`);

/** The hashes that a code may be stored by: those of former keys too. */
export const hashesOfBackupCode = (userId: string, code: string): string[] =>
  keyedHashes(code, `backup code ${userId}`);
