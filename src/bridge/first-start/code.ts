import { randomInt } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { sameSecret } from "../../kernel/crypto/crypto";
import { describeError, log } from "../../kernel/logs/log";
import { dataPath, giveToOwner } from "../../kernel/process/data-dir";
import { MINUTE, now } from "../../kernel/time/clock";

/**
 * The code by which whoever sees the server's terminal, or may read its data directory, becomes the first administrator on
 * the page. It is kept in memory alone, beside the one place where it is shown.
 */

/** Crockford's Base32, without letters that are mistaken for digits: four groups of five have 100 bits. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS = 4;
const GROUP = 5;
const LIFETIME = 30 * MINUTE;
const TRIES = 5;

interface Code {
  text: string;
  /** Epoch milliseconds. */
  until: number;
  triesLeft: number;
  shown: "terminal" | "file";
}

let current: Code | null = null;

/** The output on which codes are shown. One that goes to no terminal may be kept, and read by others, so it names a file alone. */
interface Output {
  say: (line: string) => void;
  isTerminal: boolean;
  /** The address of the page. */
  page: string;
  /** The command that makes an account without the page, as a stranger may read it: without paths of this machine. */
  command: string;
}

let output: Output | null = null;

/** Makes the first code. Throws if its file can't be written. */
export function startCodes(to: Output): void {
  output = to;
  makeCode();
}

const group = () => Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join("");

/** Makes a code in place of the last one, and shows it. Throws if its file can't be written. */
export function makeCode(): void {
  const text = Array.from({ length: GROUPS }, group).join("-");
  const isTerminal = output?.isTerminal === true;
  const file = dataPath.firstStartCode();
  if (!isTerminal) {
    // Made anew, so that it is read by nobody who could read one that was there before.
    rmSync(file, { force: true });
    writeFileSync(file, `${text}\n`, { flag: "wx", mode: 0o600 });
    giveToOwner(file);
  }
  current = { text, until: now() + LIFETIME, triesLeft: TRIES, shown: isTerminal ? "terminal" : "file" };
  const entered = isTerminal ? text : `in ${file}`;
  output?.say(`Open ${output.page} in a browser, and enter the code ${entered} within 30 minutes.`);
}

/** The command that makes an account without the page; null before codes were started. */
export const shownCommand = (): string | null => output?.command ?? null;

/** Ends the code, and removes the file that shows it. */
export function endCode(): void {
  if (current) removeCodeFile();
  current = null;
}

/** Removes the file of a code, also that of a server before. */
export function removeCodeFile(): void {
  try {
    rmSync(dataPath.firstStartCode(), { force: true });
  } catch (error) {
    log.warn("the file of the first administrator's code could not be removed", describeError(error));
  }
}

/** The code that can be entered now; null once it has ended or its tries are used up. Also ends one if the clock was set back. */
function openCode(): Code | null {
  if (!current) return null;
  const left = current.until - now();
  return current.triesLeft > 0 && left > 0 && left <= LIFETIME ? current : null;
}

/** The open code, without itself; null if there is none. */
export function shownCode(): (Pick<Code, "shown" | "until" | "triesLeft"> & { file: string | null }) | null {
  const code = openCode();
  if (!code) return null;
  const { shown, until, triesLeft } = code;
  return { shown, until, triesLeft, file: shown === "file" ? basename(dataPath.firstStartCode()) : null };
}

/** A code as it is meant: in any case, with or without its hyphens, and with the letters that people take for digits. */
const read = (typed: string): string =>
  typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");

/** True for the code that can be entered now. */
export function isCode(typed: string): boolean {
  const code = openCode();
  return code !== null && sameSecret(read(typed), read(code.text));
}

/** `right`, the number of tries left after a wrong code, or `ended` where there is none that could be entered. */
export type Tried = "right" | "ended" | number;

/** Compares a code; a wrong one costs a try. */
export function tryCode(typed: string): Tried {
  const code = openCode();
  if (!code) return "ended";
  return isCode(typed) ? "right" : --code.triesLeft;
}
