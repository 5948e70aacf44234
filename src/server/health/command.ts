import { config } from "../../configuration/config";
import { boundedFetch, jsonOf } from "../../kernel/http/outbound";
import { OperatorError } from "../../kernel/process/operator";
import { print } from "../../kernel/process/print";
import { SECOND } from "../../kernel/time/clock";
import type { Readiness } from "./schema";

/** A slower server counts as unhealthy, and a longer answer as a failure. */
const BOUNDS = { timeout: 2 * SECOND, maxBytes: 65_536 };

/** The server's address for requests from the same machine. */
export function localAddress(): string {
  const host = config["server.host"];
  const reached =
    { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${reached}:${config["server.port"]}`;
}

/**
 * The command `health`: fails unless the server of this configuration is ready, for a container without a
 * shell.
 */
export async function askHealth(): Promise<void> {
  const url = `${localAddress()}/health/ready`;
  let answer: Readiness;
  try {
    answer = (await jsonOf(await boundedFetch(url, {}, BOUNDS))) as Readiness;
  } catch (error) {
    throw new OperatorError(`no server answers at ${url}: ${(error as Error).message}`);
  }
  if (answer.status !== "ready")
    throw new OperatorError(`the server at ${url} is not ready: ${answer.reason}`);
  await print("ready");
}
