import { checksum } from "../../kernel/feeds/lines";
import { now, SECOND } from "../../kernel/time/clock";
import { BoundedMap } from "../../kernel/values/bounded-map";

/** NMEA 0183 as a receiver sends it: lines to the messages of other vessels. */

/**
 * A sentence about other vessels by any talker, anywhere in its line: a TAG block or JSON may surround it.
 * `!..VDO`, which is the receiver's own ship, doesn't match.
 */
const SENTENCE =
  /!(?<body>[A-Z0-9]{2}VDM,(?<total>[1-9]),(?<number>[1-9]),(?<sequence>[0-9]?),(?<channel>[A-Z0-9]?),(?<payload>[0-W`-w]*),(?<fill>[0-5]))\*(?<checksum>[0-9A-Fa-f]{2})/g;

/** The whole payload of an AIS message, and the number of fill bits at its end. */
export interface Payload {
  payload: string;
  fillBits: number;
}

/** Parts of a message that came so far. */
interface Parts {
  startedAt: number;
  texts: (string | undefined)[];
  fillBits: number;
}

/** Longest time between the parts of a message: the few sequence numbers soon come round again. */
const LONGEST_GAP = 5 * SECOND;
const MAX_PENDING = 64;

/** Reads messages out of one receiver's lines, and joins parts in any order. */
export class MessageReader {
  readonly #pending = new BoundedMap<string, Parts>(MAX_PENDING);

  take(line: string): Payload[] {
    const messages: Payload[] = [];
    for (const { groups } of line.matchAll(SENTENCE)) {
      if (!groups || checksum(groups.body ?? "") !== Number.parseInt(groups.checksum ?? "", 16)) continue;
      const message = this.#join(groups);
      if (message) messages.push(message);
    }
    return messages;
  }

  #join({ sequence, channel, payload = "", ...numbers }: Record<string, string>): Payload | null {
    const [total, number, fillBits] = [Number(numbers.total), Number(numbers.number), Number(numbers.fill)];
    if (number > total) return null;
    if (total === 1) return { payload, fillBits };
    const key = `${sequence},${channel},${total}`;
    const parts = this.#partsOf(key, total, number);
    parts.texts[number - 1] = payload;
    if (number === total) parts.fillBits = fillBits;
    if (parts.texts.includes(undefined)) return null;
    this.#pending.delete(key);
    return { payload: parts.texts.join(""), fillBits: parts.fillBits };
  }

  /**
   * The message that a part belongs to: a new one if that part is there already, or the others are too old.
   */
  #partsOf(key: string, total: number, number: number): Parts {
    const known = this.#pending.get(key);
    if (known && known.texts[number - 1] === undefined && Math.abs(now() - known.startedAt) <= LONGEST_GAP)
      return known;
    const parts = { startedAt: now(), texts: Array<undefined>(total).fill(undefined), fillBits: 0 };
    this.#pending.renew(key, parts);
    return parts;
  }
}
