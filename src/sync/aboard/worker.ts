import { watchChanges } from "../../feed/journal";
import { transact } from "../../kernel/db/transactions";
import { logFailure } from "../../kernel/errors/trouble";
import { log } from "../../kernel/logs/log";
import { SECOND, steadyNow } from "../../kernel/time/clock";
import type { Remarks } from "../batch/batch";
import type { PushAnswer } from "../push/schema";
import { counts, noteAnswer, noteTrouble } from "./link";
import {
  answered,
  asks,
  failed,
  gaveUp,
  LEAST_LIMIT,
  type Machine,
  type Next,
  next,
  patienceWith,
  START,
  sizeOf,
} from "./machine";
import { Rest } from "./rest";
import { SetKeeper } from "./set";
import { bytesLeft, interval, modeWith } from "./settings";
import { type Heard, type Shore, ShoreTrouble } from "./shore";
import { noteTraffic, traffic } from "./state";
import type { Prepared, Transfer } from "./transfer";

/**
 * The worker aboard. It asks the machine what is to be done, sends what the transfer has prepared, one request at a time, and gives
 * the answer back to both.
 */

/** Milliseconds between two looks at what waits and at the clock, at most. */
const LOOK = SECOND / 4;
/** Milliseconds in which many changes are one: thousands of positions a second cost ten looks. */
const GATHER = 100;
/** Answers in turn that brought nothing: more of them are a fault of the shore. */
const MOST_VAIN = 3;

/** The end of a request. One that is given up makes room for a smaller one, with an alert. */
type Outcome = Heard<PushAnswer> | ShoreTrouble | "given up" | "stopped";

export class Worker {
  readonly #transfer: Transfer;
  readonly #shore: Shore;
  readonly #set: SetKeeper;
  readonly #rest = new Rest();
  #machine: Machine = START;
  #vain = 0;
  #isStopping = false;
  #gathering: ReturnType<typeof setTimeout> | null = null;

  constructor(transfer: Transfer, shore: Shore) {
    this.#transfer = transfer;
    this.#shore = shore;
    this.#set = new SetKeeper(shore, this.#rest.wake);
  }

  /** Starts to tell the shore; returns the stop, which gives up what is under way. */
  start(): () => Promise<void> {
    const unwatch = watchChanges(() => this.#gather());
    const ended = this.#run();
    return async () => {
      unwatch();
      if (this.#gathering !== null) clearTimeout(this.#gathering);
      this.#isStopping = true;
      this.#rest.wake();
      await Promise.all([ended, this.#set.stop()]);
    };
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#rest.wake();
    }, GATHER);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping)
      try {
        const step = this.#next();
        if (step.do === "wait") await this.#rest.next(Math.min(LOOK, Math.max(0, step.until - steadyNow())));
        else await this.#ask();
      } catch (error) {
        logFailure("the transfer to the shore failed; it is tried again", error);
        this.#machine = failed(this.#machine, { wait: null, isRefused: false }, steadyNow(), Math.random());
        await this.#rest.next(LOOK);
      }
  }

  #next(): Next {
    const mode = modeWith(bytesLeft(traffic().bytesToday));
    const waiting = this.#transfer.waiting(mode);
    const timing = { interval: interval(), isSparing: mode.alertsOnly };
    return next(this.#machine, { ...waiting, some: waiting.some || this.#set.isDue }, timing, steadyNow());
  }

  async #ask(): Promise<void> {
    const left = bytesLeft(traffic().bytesToday);
    const limit = sizeOf(this.#machine);
    const remarks = this.#set.remarks();
    const most = left > 0 ? Math.min(limit, Math.max(left, LEAST_LIMIT)) : limit;
    const prepared = await this.#transfer.prepare(most, modeWith(left), remarks);
    // Nothing may be left of it for the shore, as of positions between those of a metered line.
    if (!prepared.hasRows && this.#next().do !== "ask") return;
    const outcome = await this.#send(prepared);
    if (outcome === "stopped") return;
    counts.requests.add();
    if (outcome === "given up") {
      this.#machine = gaveUp(this.#machine);
      await this.#count(prepared.body.length);
    } else if (outcome instanceof ShoreTrouble) await this.#fail(outcome);
    else await this.#take(prepared, remarks, outcome);
  }

  // --- A request ------------------------------------------------------------------------------------------

  async #send({ body, hasAlert }: Prepared): Promise<Outcome> {
    const patience = patienceWith(body.length, this.#machine, hasAlert);
    const since = steadyNow();
    this.#machine = asks(this.#machine, body.length, hasAlert, since);
    const request = new AbortController();
    const end = this.#shore
      .push(body, { timeout: patience, signal: request.signal })
      .catch((error: unknown): ShoreTrouble => {
        if (error instanceof ShoreTrouble) return error;
        throw error;
      });
    let isOver = false;
    const noteEnd = () => {
      isOver = true;
      this.#rest.wake();
    };
    end.then(noteEnd, noteEnd);
    let abandoned: "given up" | "stopped" | null = null;
    while (!isOver) {
      if (this.#isStopping) abandoned = "stopped";
      else if (this.#next().do === "give up") abandoned = "given up";
      if (abandoned !== null || steadyNow() >= since + patience) request.abort();
      await this.#rest.next(LOOK);
    }
    const outcome = await end;
    return outcome instanceof ShoreTrouble ? (abandoned ?? outcome) : outcome;
  }

  async #take(prepared: Prepared, remarks: Remarks, { answer, bytes }: Heard<PushAnswer>): Promise<void> {
    counts.bytes.add(bytes);
    counts.refused.add(answer.refused);
    const result = await this.#transfer.settle(prepared, answer, bytes);
    const hasMoved = result === "went on" || result === "went back";
    this.#vain = hasMoved || (result === "stood still" && !prepared.hasRows) ? 0 : this.#vain + 1;
    if (result !== "went on" && result !== "stood still") this.#noteTurn(result);
    else this.#set.noteTold(remarks);
    if (this.#vain >= MOST_VAIN)
      return this.#fail(
        new ShoreTrouble(
          {
            en: "its answers bring nothing further: it holds none of what it gets",
            de: "seine Antworten führen nicht weiter: Er behält nichts von dem, was er bekommt",
          },
          0,
        ),
      );
    this.#machine = answered(this.#machine, prepared.hasRows, steadyNow());
    if (noteAnswer()) log.info("the shore answers again");
    if (answer.refused > 0)
      log.warn("the shore refuses rows: they are another's there, or it cannot store their values", {
        rows: answer.refused,
      });
    this.#set.heed(answer.set.tag);
  }

  #noteTurn(result: "went back" | "forked" | "begun anew"): void {
    counts.epochs.add(result === "went back" ? 0 : 1);
    this.#set.tellAgain();
    log.info(TURNS[result]);
  }

  async #fail(trouble: ShoreTrouble): Promise<void> {
    const { message: why, words, isRefused, wait, bytes } = trouble;
    counts.failures.add();
    this.#machine = failed(this.#machine, { wait, isRefused }, steadyNow(), Math.random());
    if (noteTrouble(words, isRefused)) {
      if (isRefused) log.warn("the shore refuses this box; it is asked again every 15 minutes", { why });
      else log.info("the shore was not reached; it is tried again and again", { why });
    }
    await this.#count(bytes);
  }

  /** Counts bytes that went in vain. */
  async #count(bytes: number): Promise<void> {
    counts.bytes.add(bytes);
    if (bytes > 0) await transact(() => noteTraffic(bytes, false));
  }
}

const TURNS = {
  "went back": "the shore holds less than before, as after a restore; what it lacks is sent again",
  forked: "the shore knows another life of this box, as of a copy; this one goes on beside it",
  "begun anew": "the shore knows nothing of what it was told; all of it is sent again",
};
