import { randomInt } from "node:crypto";
import { keyedHash } from "../../kernel/encryption";

/** Letters and digits that nobody mistakes for one another: 32 of them, 5 bits each. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const GROUP = 5;

/** Codes that are made at a time (Part 2). */
export const CODES = 10;

/** With so many left or fewer, the user is reminded to make new ones (Part 2). */
export const FEW = 3;

const group = () => Array.from({ length: GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** Ten fresh codes, `XXXXX-XXXXX` (decisions 3.3). */
export function newBackupCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(`${group()}-${group()}`);
  return [...codes];
}

/** The code as it was made, however it was typed: in lower case, without the hyphen. Null for what is no code. */
export function normalizeBackupCode(typed: string): string | null {
  const plain = typed.trim().toUpperCase();
  const parts = /^([A-HJ-NP-Z2-9]{5})-?([A-HJ-NP-Z2-9]{5})$/.exec(plain);
  return parts && `${parts[1]}-${parts[2]}`;
}

/** What is stored of a code: a hash under the master key, since 50 bits alone could be guessed offline. */
export const hashBackupCode = (userId: string, code: string): string =>
  keyedHash(code, `backup code ${userId}`);
