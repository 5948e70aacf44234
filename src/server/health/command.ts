import { wordsOfNetwork } from "../../kernel/errors/network-trouble";
import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { localAddress } from "../../kernel/http/own-addresses";
import { OperatorError } from "../../kernel/process/operator";
import { print } from "../../kernel/process/print";
import { SECOND } from "../../kernel/time/clock";
import type { Readiness } from "./schema";

/** A slower server counts as unhealthy, and a longer answer as a failure. */
const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/**
 * The command `health`: fails unless the server of this configuration is ready, for a container without a
 * shell.
 */
export async function askHealth(): Promise<void> {
  const url = `${localAddress()}/health/ready`;
  let answer: Partial<Readiness> | null;
  try {
    answer = (await jsonOf(await boundedFetch(url, {}, BOUNDS))) as typeof answer;
  } catch (error) {
    const { message } = error as Error;
    // Codes of the network are one word; the others tell of an answer that Fairlead doesn't give.
    throw new OperatorError(
      /\s/.test(message)
        ? `another program answers at ${url}: ${message}`
        : `no server answers at ${url}: ${wordsOfNetwork(message).en}`,
    );
  }
  if (answer?.status !== "ready" && answer?.status !== "not ready")
    throw new OperatorError(`another program answers at ${url}`);
  if (answer.status !== "ready")
    throw new OperatorError(`the server at ${url} is not ready: ${answer.reason}`);
  await print("ready");
}
