import { judgeAddress } from "../../kernel/http/address-rules";
import { OutboundError } from "../../kernel/http/outbound";
import { anyAddresses } from "../../kernel/http/permitted-address";
import { requestPinned } from "../../kernel/http/pinned-request";
import { SECOND } from "../../kernel/time/clock";

/** Requests to a provider: to its issuer, which the operator chose, and to where its discovery document leads. */

const BOUNDS = { timeout: 8 * SECOND, maxBytes: 262_144 };

/**
 * Sends a request of oauth4webapi within bounds. The origin of the issuer may be anywhere; every other one that a provider names
 * must be on the internet, so that no document of a provider leads into this network. Throws OutboundError.
 */
export async function askProvider(issuer: string, target: string, init: RequestInit): Promise<Response> {
  const url = new URL(target);
  const addresses = await anyAddresses(url.hostname);
  if (url.origin !== new URL(issuer).origin)
    for (const { address } of addresses) {
      const { reach, words } = judgeAddress(address);
      if (reach !== "public")
        throw new OutboundError(
          `the provider leads to ${words}, outside the origin of its issuer: only public addresses are permitted there`,
        );
    }
  const method = init.method === "POST" ? "POST" : "GET";
  const headers = Object.fromEntries(new Headers(init.headers));
  const answer = await requestPinned(
    url,
    addresses,
    { method, headers, body: String(init.body ?? "") },
    BOUNDS,
  );
  if (answer.isCut) throw new OutboundError(`more than ${BOUNDS.maxBytes} bytes`);
  return new Response([204, 304].includes(answer.status) ? null : new Uint8Array(answer.body), {
    status: answer.status,
    headers: {
      ...(answer.contentType !== null && { "content-type": answer.contentType }),
      ...(answer.challenge !== null && { "www-authenticate": answer.challenge }),
    },
  });
}
