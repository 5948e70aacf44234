import { VERSION } from "../../configuration/version";
import { wordsOfNetwork } from "../../kernel/errors/network-trouble";
import { type Bounds, boundedFetch, OutboundError, retryAfter } from "../../kernel/http/outbound";
import { checkerOf } from "../../kernel/http/schema";
import { now, SECOND, steadyNow } from "../../kernel/time/clock";
import { type Bilingual, BilingualError } from "../../kernel/values/bilingual";
import { holdsMore } from "../../kernel/values/json";
import { BATCH_TYPE, PushAnswer } from "../push/schema";

/**
 * The shore as a box calls it: one address, which no answer changes, and one token, which goes into a header and nowhere else. An
 * answer is the word of a stranger: it is bounded and checked, and nothing of it is quoted.
 */

/** The reason why there is no answer, in words for the crew, as what "it" does. */
export class ShoreTrouble extends BilingualError {
  /** The token is not valid. */
  readonly isRefused: boolean;
  /** The wait that the shore asks for, in milliseconds; null if it asks for none. */
  readonly wait: number | null;
  /** Bytes that went to and fro all the same, at a guess. */
  readonly bytes: number;
  /** The answer is longer than it may be, and was not read to its end. */
  readonly isTooLong: boolean;

  constructor(
    words: Bilingual,
    bytes: number,
    { isRefused = false, wait = null as number | null, isTooLong = false } = {},
  ) {
    super(words);
    this.isRefused = isRefused;
    this.wait = wait;
    this.bytes = bytes;
    this.isTooLong = isTooLong;
  }
}

/** An answer, and the bytes that it took, with those of its request. */
export interface Heard<T> {
  answer: T;
  bytes: number;
}

/** Bytes of answers at most. */
const MOST_OF_ANSWER = 16 * 1024;
const MOST_OF_SET = 8 * 1024 * 1024;
/** Values in the JSON of a set at most: some tenths of a second. */
const MOST_VALUES = 1_000_000;

/** Bytes of the head of a request, and of the first line of an answer. */
const REQUEST_HEAD = 300;
const STATUS_LINE = 20;

/** Milliseconds without a request after which the server may close the connection just as the next one comes. */
const KEPT_OPEN = 4 * SECOND;

/** Failures before anything was sent. */
const UNSENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH"];
/** The beginning of the word for an answer that has more bytes than it may. */
const TOO_LONG = "more than ";

function wordsOfCode(code: string): Bilingual {
  if (code === "EPROTO") return { en: "it does not speak TLS", de: "er spricht kein TLS" };
  return code.startsWith(TOO_LONG)
    ? { en: "its answer is too long", de: "seine Antwort ist zu lang" }
    : wordsOfNetwork(code);
}

function wordsOfStatus(status: number): Bilingual {
  if (status === 401)
    return {
      en: "it refuses the token: it has ended, or is not that of a box",
      de: "er lehnt das Token ab: Es gilt nicht mehr oder ist nicht das eines Bootes",
    };
  if (status >= 300 && status < 400)
    return {
      en: `it sends requests elsewhere (status ${status}): set sync.url to the address where the server itself answers`,
      de: `er leitet Anfragen weiter (Status ${status}): Setze sync.url auf die Adresse, unter der der Server selbst antwortet`,
    };
  if (status === 404)
    return {
      en: "there is no Fairlead at its address that takes what boxes send (status 404)",
      de: "unter seiner Adresse ist kein Fairlead, das annimmt, was Boote senden (Status 404)",
    };
  if (status === 429)
    return { en: "it gets requests too often (status 429)", de: "er bekommt zu oft Anfragen (Status 429)" };
  if (status >= 500)
    return {
      en: `it fails, or is not up (status ${status})`,
      de: `er ist gestört oder läuft nicht (Status ${status})`,
    };
  return {
    en: `it does not take the request (status ${status})`,
    de: `er nimmt die Anfrage nicht an (Status ${status})`,
  };
}

const isAnswer = checkerOf(PushAnswer);

export class Shore {
  readonly #url: string;
  readonly #token: string;
  /** The last answer, by the steady clock. */
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Pushes a batch. Throws ShoreTrouble. */
  async push(body: Uint8Array, bounds: Omit<Bounds, "maxBytes">): Promise<Heard<PushAnswer>> {
    const { answer, bytes } = await this.#call("/v1/sync/push", MOST_OF_ANSWER, bounds, {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": BATCH_TYPE },
    });
    const value = parsed(answer, MOST_OF_ANSWER);
    if (!isAnswer(value))
      throw new ShoreTrouble(
        {
          en: "its answer is none that a shore gives",
          de: "seine Antwort ist keine, die ein Server an Land gibt",
        },
        bytes,
      );
    return { answer: value, bytes };
  }

  /** Fetches the set of zones and rules; undefined for what is no JSON, or too much. Throws ShoreTrouble. */
  async fetchSet(bounds: Omit<Bounds, "maxBytes">): Promise<Heard<unknown>> {
    try {
      const { answer, bytes } = await this.#call("/v1/sync/set", MOST_OF_SET, bounds, {});
      return { answer: parsed(answer, MOST_VALUES), bytes };
    } catch (error) {
      if (!(error instanceof ShoreTrouble) || !error.isTooLong) throw error;
      return { answer: undefined, bytes: error.bytes };
    }
  }

  /** Calls an address of the shore, once more if a connection that was kept open turns out to be closed. */
  async #call(
    path: string,
    maxBytes: number,
    bounds: Omit<Bounds, "maxBytes">,
    init: { method?: "POST"; body?: Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
  ): Promise<Heard<string>> {
    const sent = REQUEST_HEAD + path.length + (init.body?.length ?? 0);
    const ask = () =>
      boundedFetch(
        this.#url + path,
        {
          ...init,
          headers: {
            ...init.headers,
            authorization: `Bearer ${this.#token}`,
            "user-agent": `Fairlead/${VERSION}`,
          },
        },
        { ...bounds, maxBytes },
      );
    const isOld = steadyNow() - this.#answeredAt > KEPT_OPEN;
    let tries = 1;
    try {
      const answer = await ask().catch((error: unknown) => {
        const isCut = error instanceof OutboundError && error.message === "ECONNRESET";
        if (!isCut || !isOld || this.#answeredAt === Number.NEGATIVE_INFINITY) throw error;
        tries++;
        return ask();
      });
      const text = await answer.text();
      const bytes = tries * sent + sizeOfHead(answer) + sizeOfBody(answer, text);
      this.#answeredAt = steadyNow();
      if (answer.status === 200) return { answer: text, bytes };
      throw new ShoreTrouble(wordsOfStatus(answer.status), bytes, {
        isRefused: answer.status === 401,
        wait: retryAfter(answer, now()),
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const isTooLong = error.message.startsWith(TOO_LONG);
      const bytes = UNSENT.includes(error.message) ? 0 : tries * sent + (isTooLong ? maxBytes : 0);
      throw new ShoreTrouble(wordsOfCode(error.message), bytes, { isTooLong });
    }
  }
}

function sizeOfHead({ headers }: Response): number {
  let size = STATUS_LINE;
  headers.forEach((value, name) => {
    size += name.length + value.length + ": \r\n".length;
  });
  return size;
}

/** Bytes of a body on the line, which may have been compressed there. */
const sizeOfBody = ({ headers }: Response, text: string): number =>
  headers.has("content-encoding") && headers.has("content-length")
    ? Number(headers.get("content-length"))
    : Buffer.byteLength(text);

function parsed(text: string, mostValues: number): unknown {
  if (holdsMore(text, mostValues)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
