import createClient from "openapi-fetch";
import { BASE } from "./base";
import { straight } from "./direction";
import type { components, paths } from "./document.gen";
import { locale } from "./language";
import { refusalWords } from "./refusals/refusals";

/** The API as its document describes it. */

export type Schemas = components["schemas"];

export const api = createClient<paths>({
  baseUrl: BASE.replace(/\/$/, ""),
  headers: { "X-Fairlead-Page": "1" },
});

api.use({
  // The server's own words come in the page's language, which may be another than the browser's.
  onRequest: ({ request }) => request.headers.set("Accept-Language", locale.value),
  onResponse: async ({ response }) => {
    if (!/\bjson\b/.test(response.headers.get("content-type") ?? "")) return undefined;
    return new Response(straight(await response.text()), response);
  },
});

/** An answer that is a refusal, or none at all (status 0). Its message is for readers. */
export class ApiError extends Error {
  readonly status: number;
  /** The API's name of the error, such as `NotFound`. */
  readonly kind: string;
  /** Faults of single fields: their paths in the body, and what is wrong. */
  readonly details: readonly { path: string; message: string }[];

  constructor(
    status: number,
    body: { error?: string; message?: string; details?: { path: string; message: string }[] },
  ) {
    super(body.message ?? "");
    this.status = status;
    this.kind = body.error ?? "";
    this.details = body.details ?? [];
  }
}

/** Steps in where an answer asks for something else first. */
interface Manners {
  /** The session has ended: the page asks for another sign-in. */
  ended: () => void;
  /** The sign-in is too long ago for this: resolves to true once it was renewed. */
  renew: () => Promise<boolean>;
}

const manners: Manners = { ended: () => {}, renew: async () => false };

/** Tells what to do with refusals that concern the whole page. */
export const setManners = (given: Manners): void => void Object.assign(manners, given);

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}
type Data<R> = R extends { data: infer D; error?: never } ? D : never;

/**
 * Carries a request out and returns its data. Asks for a newer sign-in where the API wants one, and then asks again. Throws an
 * ApiError for every refusal, and where no answer came.
 */
export async function call<R extends Answer>(ask: () => Promise<R>): Promise<Data<R>> {
  let answer: R;
  try {
    answer = await ask();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, { error: "Offline" });
  }
  const { data, error, response } = answer;
  if (response.ok) return data as Data<R>;
  const refusal = new ApiError(response.status, typeof error === "object" && error !== null ? error : {});
  if (refusal.kind === "ReauthenticationRequired" && (await manners.renew())) return call(ask);
  if (refusal.status === 401) manners.ended();
  throw refusal;
}

/** The words of a refusal for its reader; an error of the program itself is thrown on. */
export function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  return refusalWords(error);
}
