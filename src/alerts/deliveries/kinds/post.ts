import { VERSION } from "../../../configuration/version";
import { OutboundError } from "../../../kernel/http/outbound";
import { anyAddresses, permittedAddresses, portOf } from "../../../kernel/http/permitted-address";
import { type PinnedAnswer, postPinned } from "../../../kernel/http/pinned-request";
import { SECOND } from "../../../kernel/time/clock";

const TIMEOUT = 10 * SECOND;
const MAX_BYTES = 65_536;

/**
 * Posts JSON to an address that a user chose, or, with `chosenBy` "operator", to one of the configuration, which may be
 * anywhere. Resolution counts against the time too. Throws AddressRefused and OutboundError.
 */
export async function postJson(
  url: URL,
  body: string,
  headers: Record<string, string> = {},
  chosenBy: "user" | "operator" = "user",
): Promise<PinnedAnswer> {
  const started = performance.now();
  const resolve = chosenBy === "user" ? permittedAddresses : anyAddresses;
  const addresses = await within(TIMEOUT, resolve(url.hostname, portOf(url)));
  const timeout = Math.max(1, TIMEOUT - (performance.now() - started));
  const all = {
    "content-type": "application/json",
    "user-agent": `Fairlead/${VERSION}`,
    accept: "application/json",
    ...headers,
  };
  return postPinned(url, addresses, { headers: all, body }, { timeout, maxBytes: MAX_BYTES });
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutboundError("TimeoutError")), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
