import { randomInt } from "node:crypto";

const MIN = 3;
const MAX = 30;

/**
 * Candidates for a username, made from a name on another platform, tried until one is free: the name in lower
 * case with an underscore for every character that a username can't hold, then with a growing number
 * appended, so that few tries suffice even if many share the name. Each has 3 to 30 letters, digits and
 * underscores.
 */
export function* usernameCandidates(name: string): Generator<string, never> {
  const usable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, MAX);
  const base = usable.length >= MIN ? usable : `user_${usable || randomDigits(8)}`;
  yield base;
  for (let digits = 1; ; digits = Math.min(digits + 1, 12)) {
    const suffix = `_${randomDigits(digits)}`;
    yield base.slice(0, MAX - suffix.length) + suffix;
  }
}

const randomDigits = (count: number) => String(randomInt(10 ** count)).padStart(count, "0");
