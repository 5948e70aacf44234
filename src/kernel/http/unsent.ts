import { profile } from "../../configuration/profile";
import { SECOND } from "../time/clock";
import { isAnswered, letStall, listeningServer } from "./client";
import { compressed } from "./compress";
import { Ledger } from "./held";

/**
 * Large answers that their clients have not taken yet. The runtime keeps each until the client has read it,
 * however long that takes: a stranger who asks for many and reads none would fill the memory with them.
 */

/** Bytes; a smaller answer leaves at once, since the kernel's buffers of a connection take it. */
export const LARGE = 64 * 1024;

/**
 * Most bytes charged for an answer sent from a file or from shared memory: the kernel's buffers of its
 * connection, which are memory too, and take time to fill.
 */
export const SHARED = 1024 * 1024;

const unsent = new Ledger(() => ({
  ...profile.unsentAnswers,
  refusal: "Too many large answers wait to be read; try again in a moment",
}));

const LOOK_INTERVAL = SECOND;

/** Releases answered requests periodically: otherwise that would happen only when room runs out. */
let looking: Timer | undefined;

function look(): void {
  unsent.releaseAnswered();
  if (!unsent.isEmpty) return;
  clearInterval(looking);
  looking = undefined;
}

/**
 * Counts an answer of so many bytes, which is about to be sent. Its client is cut if it takes nothing of it
 * for the idle time-out. Throws 503 if too much waits already.
 */
export function countUnsent(request: Request, bytes: number): void {
  if (listeningServer() === null || isAnswered(request)) return;
  unsent.take(request, bytes);
  letStall(request);
  looking ??= setInterval(look, LOOK_INTERVAL).unref();
}

/** Counts an answer whose length is known only from its body, and compresses it if its client asks for that. */
export const countedAnswer = async (request: Request, answer: Response): Promise<Response> =>
  countedText(request, await answer.text(), Object.fromEntries(answer.headers), answer.status);

/** The answer of a text: it is counted if it is large, and compressed if its client asks for that. */
export async function countedText(
  request: Request,
  text: string,
  named: Record<string, string>,
  status = 200,
): Promise<Response> {
  if (text.length > LARGE) countUnsent(request, Buffer.byteLength(text));
  const headers: Record<string, string> = { vary: "Origin", ...named };
  const body = await compressed(text, request, headers);
  return new Response(typeof body === "string" ? body : new Uint8Array(body), { status, headers });
}
