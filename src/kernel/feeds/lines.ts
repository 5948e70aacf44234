/** Text in lines, as receivers send it, and the checksum of NMEA 0183. */

/** Characters of a line of NMEA 0183. The standard has 82; TAG blocks and wrappers of a sentence take some more. */
export const NMEA_LINE = 1_024;

/** Cuts the received bytes into lines. A line that is too long is left out, and never held whole. */
export class LineReader {
  readonly #longest: number;
  #rest = "";

  /** `longest` is the number of characters that a line may have. */
  constructor(longest = NMEA_LINE) {
    this.#longest = longest;
  }

  take(bytes: Buffer): string[] {
    const lines = (this.#rest + bytes.toString("latin1")).split(/[\r\n]/);
    // One character more than is allowed marks a line as too long, however much of it is still to come.
    this.#rest = (lines.pop() ?? "").slice(0, this.#longest + 1);
    return lines.filter((line) => line.length <= this.#longest);
  }
}

/** The checksum of a sentence: all characters between `!` or `$` and `*`, combined by exclusive or. */
export function checksum(body: string): number {
  let sum = 0;
  for (let at = 0; at < body.length; at++) sum ^= body.charCodeAt(at);
  return sum;
}
