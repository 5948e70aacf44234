import { randomBytes, timingSafeEqual } from "node:crypto";
import { profile } from "../../configuration/profile";
import { AppError } from "../errors/errors";
import { semaphore } from "../limits/semaphore";
import { OperatorError } from "../process/operator";
import { lazy } from "../values/lazy";

/** The kinds of bearer secrets, told apart by their prefix (rule C1). */
export type TokenPrefix = "ses_" | "2fa_" | "flk_" | "fls_" | "flt_" | "flb_" | "flc_" | "fla_" | "flr_";

/**
 * A fresh secret: 32 random bytes in base64url behind its prefix, and the hash that is stored in its place. Tokens
 * that travel in emails have no prefix.
 */
export function mintToken(prefix: TokenPrefix | ""): { token: string; hash: string } {
  const token = prefix + randomBytes(32).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** SHA-256 in base64. The secrets have 256 bits of entropy, so a fast unsalted hash suffices (ASVS 6.5.2). */
export function hashToken(token: string): string {
  return Bun.SHA256.hash(token, "base64");
}

/** Compares two secrets in a time that depends on neither (through their hashes, so lengths don't leak). */
export function sameSecret(left: string, right: string): boolean {
  return timingSafeEqual(Bun.SHA256.hash(left) as Uint8Array, Bun.SHA256.hash(right) as Uint8Array);
}

/** A Content-Security-Policy source for an inline script or style (CSP Level 3, section 2.3.1). */
export const sourceHash = (source: string): string => `'sha256-${hashToken(source)}'`;

/** Native code, which the executable unpacks into the temporary directory when it is loaded. */
const argon2 = lazy(() => import("@node-rs/argon2"));

/** Loads the password hash. Throws OperatorError if this machine refuses it. */
export async function requirePasswordHash(): Promise<void> {
  await argon2().catch((error) => {
    const why = loaderWords(error);
    throw new OperatorError({
      en: `the password hash can't be loaded (${why}): the temporary directory must be writable and permit execution (else set BUN_TMPDIR to one that does), a damaged file there must be removed, and glibc and libgcc must be installed`,
      de: `das Programm für Passwort-Hashes lässt sich nicht laden (${why}): Im Ordner für temporäre Dateien muss sich schreiben und ausführen lassen (sonst setze BUN_TMPDIR auf einen solchen), eine beschädigte Datei darin muss weg, und glibc und libgcc müssen installiert sein`,
    });
  });
}

/** The native loader's own message; the error thrown names only the last of many places tried. */
function loaderWords(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error.message.includes(".node: ")) return error.message;
  return String(thrown);
}

/** The cost of a hash: kibibytes of memory, passes over it, and lanes. */
interface HashCost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** OWASP's parameters of argon2id, the library's default algorithm (rule C2). */
const OWASP: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let cost = OWASP;

/** Makes hashes cheap, for the tests' own entry alone: nothing of the program calls it. */
export function setHashCost(next: HashCost): void {
  cost = next;
}

/** Begins each hash of the current cost, in PHC string format. */
const currentParameters = (): string =>
  `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;

/**
 * The longest queue before Bun's thread pool. The event loop has a thread of its own: positions are served meanwhile
 * (`bun run bench -- --only login`).
 */
const HASHES_WAITING = 1_000;

const hashes = semaphore({
  atOnce: () => profile.hashesAtOnce(),
  line: {
    most: HASHES_WAITING,
    refusal: () =>
      new AppError("ServiceUnavailable", "Too many sign-ins at once; try again in a moment", {
        headers: { "retry-after": "5" },
      }),
  },
});

/** Number of hashes that wait for their turn. */
export const waitingHashes = hashes.waiting;

/** The line of this machine's own commands, which wait for nobody. */
const NOBODY = "";

/**
 * The argon2id hash of a password in PHC string format, for an address block or a user. Runs off the event
 * loop. Throws 503 if too many wait.
 */
export function hashPassword(password: string, who = NOBODY): Promise<string> {
  return hashes.run(who, async () => (await argon2()).hash(password, cost));
}

/** The hash of a discarded random password: verifying against it costs as much as against a real one. */
const decoy = (): string =>
  `${currentParameters()}kin0y2as7tndHegclApuww$0w01c3YU/870qveasMi/HpYmPCNuzAuKs30GS44PUIM`;

/**
 * True if the password has this hash. A null hash (no such account) costs as much time and is false. `who` is
 * the address block or the user for whom it is compared. Throws 503 if too many wait.
 */
export async function verifyPassword(stored: string | null, password: string, who: string): Promise<boolean> {
  const matches = await hashes.run(who, async () => {
    const { verify } = await argon2();
    return verify(stored ?? decoy(), password).catch(() => false);
  });
  return stored !== null && matches;
}

/** True for a hash with older parameters, which the next sign-in should renew. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith(currentParameters());
}
