import { transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { HOUR, MINUTE, steadyNow } from "../../kernel/time/clock";
import type { Remarks } from "../batch/batch";
import { appliedSet, applySet, refuseSet, wantsSet } from "../down/apply";
import { counts } from "./link";
import { bytesLeft } from "./settings";
import { type Shore, ShoreTrouble } from "./shore";
import { noteTraffic, traffic } from "./state";

/** The set of zones and rules on its way down: fetched beside the pushes, so that no alert waits for it, applied, and confirmed. */

/** Milliseconds in which a set must be there, over a thin line too. */
const PATIENCE = 5 * MINUTE;
/** Milliseconds after which a set is asked for again that did not come, and after which another one is than that which was refused. */
const AFTER_TROUBLE = MINUTE;
/** Milliseconds after which a set that was refused is fetched again: each of them takes bytes of a line that may be metered. */
const AFTER_REFUSAL = 15 * MINUTE;
const LONGEST_AFTER_REFUSAL = 12 * HOUR;

/** Characters of a reason that the shore is told. */
const LONGEST_REASON = 500;

export class SetKeeper {
  readonly #shore: Shore;
  readonly #wake: () => void;
  readonly #stop = new AbortController();
  #fetching: Promise<void> | null = null;
  #notBefore = Number.NEGATIVE_INFINITY;
  /** The set that was refused last: how often in turn, and when it may be fetched again, by the steady clock. */
  #refused = { tag: "", times: 0, until: Number.NEGATIVE_INFINITY };
  /** The words that the shore has acknowledged; null if it should be told anew. */
  #told: string | null = null;
  #isDue = true;

  /** `wake` is called when there is something to confirm. */
  constructor(shore: Shore, wake: () => void) {
    this.#shore = shore;
    this.#wake = wake;
  }

  /** True if the shore is to be told what became of a set. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** The words of the next push. */
  remarks(): Remarks {
    const { version, error } = appliedSet();
    const set = { version, error: error?.slice(0, LONGEST_REASON) ?? null };
    if (JSON.stringify(set) !== this.#told) return { set };
    this.#isDue = false;
    return {};
  }

  /** Notes that the words of a push have come ashore. */
  noteTold({ set }: Remarks): void {
    if (!set) return;
    this.#told = JSON.stringify(set);
    this.#isDue = false;
  }

  /** The shore may have forgotten what it was told. */
  tellAgain(): void {
    this.#told = null;
    this.#isDue = true;
  }

  /** Fetches the newest set if it isn't applied, and the day has bytes left for it. Nobody waits for it. */
  heed(tag: string): void {
    if (this.#fetching || this.#stop.signal.aborted || !this.#mayFetch(tag)) return;
    this.#fetching = this.#fetch(tag)
      .catch((error: unknown) => {
        this.#notBefore = steadyNow() + AFTER_TROUBLE;
        logFailure("the zones and rules of the shore could not be applied; it is tried again", error);
      })
      .finally(() => {
        this.#fetching = null;
      });
  }

  #mayFetch(tag: string): boolean {
    const time = steadyNow();
    if (time < this.#notBefore || (tag === this.#refused.tag && time < this.#refused.until)) return false;
    return bytesLeft(traffic().bytesToday) > 0 && wantsSet(tag);
  }

  async #fetch(tag: string): Promise<void> {
    const { signal } = this.#stop;
    try {
      const { answer, bytes } = await this.#shore.fetchSet({ timeout: PATIENCE, signal });
      if (signal.aborted) return;
      await this.#count(bytes, true);
      await this.#apply(tag, answer);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ShoreTrouble)) throw error;
      await this.#count(error.bytes, false);
      this.#notBefore = steadyNow() + AFTER_TROUBLE;
      log.info("the zones and rules of the shore did not come; they are asked for again", {
        why: error.message,
      });
    }
  }

  async #apply(tag: string, sent: unknown): Promise<void> {
    let error: string | null = "what came is no set, or too large a one";
    if (sent === undefined) await refuseSet(tag, error);
    else ({ error } = await applySet(sent));
    // One that was applied, and tells another tag than the pushes, would be fetched again and again.
    if (error !== null || wantsSet(tag)) this.#noteRefusal(tag);
    if (error === null) log.info("the zones and rules of the shore are applied", { ...appliedSet() });
    else log.warn("the zones and rules of the shore are not applied; the former ones stay", { why: error });
    this.#isDue = true;
    this.#wake();
  }

  #noteRefusal(tag: string): void {
    const times = tag === this.#refused.tag ? this.#refused.times + 1 : 1;
    const pause = Math.min(LONGEST_AFTER_REFUSAL, AFTER_REFUSAL * 2 ** (times - 1));
    this.#refused = { tag, times, until: steadyNow() + pause };
    // A shore that names another set with each answer has none fetched with each.
    this.#notBefore = steadyNow() + AFTER_TROUBLE;
  }

  #count(bytes: number, isContact: boolean): Promise<void> {
    counts.bytes.add(bytes);
    return transact(() => noteTraffic(bytes, isContact));
  }

  /** Gives up what is under way; resolves once it has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#fetching;
  }
}
