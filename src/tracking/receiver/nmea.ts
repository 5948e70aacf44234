import type { Reading } from "../ingest/fix";
import { type Sentence, sentencesIn, type Values } from "./nmea-sentence";
import { NOISE, type Reader, type Taken, understood } from "./reader";

/**
 * Joins the sentences of NMEA 0183 to fixes: those of one time of day belong together, whoever talks, and those
 * without a time to the ones before them.
 */

const DAY = 86_400;

/** Seconds for which a talker's date serves sentences that have none. */
const DATE_SERVES = 60;

/** All that one talker told for one time. */
interface Part {
  /** False once a sentence said that there is no fix, whatever others said. */
  isFix: boolean | null;
  date: number | null;
  values: Values;
}

interface Epoch {
  timeOfDay: number;
  parts: Map<string, Part>;
}

const newPart = (): Part => ({ isFix: null, date: null, values: {} });

export class NmeaReader implements Reader {
  readonly #onBroken: (count: number) => void;
  #epoch: Epoch | null = null;
  /** Sentences without a time that came after a pause, and so before the first one with a time. */
  #early = new Map<string, Part>();
  /** The newest time with a date, by talker, in Unix seconds. */
  readonly #dated = new Map<string, number>();

  /** `onBroken` is told the number of sentences with a wrong checksum. */
  constructor(onBroken: (count: number) => void = () => {}) {
    this.#onBroken = onBroken;
  }

  take(line: string): Taken {
    const { sentences, framed, broken } = sentencesIn(line);
    if (broken > 0) this.#onBroken(broken);
    return framed > 0 ? understood(sentences.flatMap((sentence) => this.#join(sentence))) : NOISE;
  }

  flush(): Reading[] {
    const epoch = this.#epoch;
    this.#epoch = null;
    return epoch === null ? [] : this.#close(epoch);
  }

  #join(sentence: Sentence): Reading[] {
    const { talker, timeOfDay, isFix, date } = sentence;
    if (timeOfDay === null) {
      // A position without a time belongs to none of the others.
      if (isFix !== null) return [isFix ? toFix(sentence.values, null) : { rejected: "no_fix" }];
      addTo(this.#epoch?.parts ?? this.#early, sentence);
      return [];
    }
    const done = this.#epoch?.timeOfDay === timeOfDay ? [] : this.flush();
    if (date !== null && isFix !== false) this.#dated.set(talker, date + timeOfDay);
    if (this.#epoch === null) {
      this.#epoch = { timeOfDay, parts: this.#early };
      this.#early = new Map();
    }
    addTo(this.#epoch.parts, sentence);
    return done;
  }

  #close({ timeOfDay, parts }: Epoch): Reading[] {
    const entries = [...parts];
    const placed = entries.find(([, part]) => part.isFix === true);
    if (!placed) return entries.some(([, part]) => part.isFix === false) ? [{ rejected: "no_fix" }] : [];
    const [talker, { values, date }] = placed;
    const others = entries.filter(([name, part]) => name !== talker && part.isFix !== false);
    const known = date ?? others.find(([, part]) => part.date !== null)?.[1].date ?? null;
    const time = known === null ? this.#timeFor(talker, timeOfDay) : known + timeOfDay;
    return [
      toFix(
        others.reduce((all, [, part]) => filled(all, part.values), values),
        time,
      ),
    ];
  }

  /** The time of day on the day that makes it nearest to a time with a date: midnight may lie between the two. */
  #timeFor(talker: string, timeOfDay: number): number | null {
    for (const dated of [this.#dated.get(talker), ...this.#dated.values()]) {
      if (dated === undefined) continue;
      const time = Math.round((dated - timeOfDay) / DAY) * DAY + timeOfDay;
      if (Math.abs(time - dated) <= DATE_SERVES) return time;
    }
    return null;
  }
}

function addTo(parts: Map<string, Part>, { talker, isFix, date, values }: Sentence): void {
  const part = parts.get(talker) ?? newPart();
  parts.set(talker, part);
  if (isFix !== null) part.isFix = isFix && part.isFix !== false;
  part.date ??= date;
  part.values = filled(part.values, values);
}

/** The values with the gaps filled from others: the first that was told stays. */
const filled = (values: Values, others: Values): Values => ({
  ...others,
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
});

const toFix = ({ latitude, longitude, ...others }: Values, time: number | null): Reading =>
  latitude === undefined || longitude === undefined
    ? { rejected: "no_fix" }
    : { latitude, longitude, time, ...others };
