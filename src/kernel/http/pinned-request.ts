import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { type Bounds, OutboundError } from "./outbound";
import { onlyThese, type ResolvedAddress } from "./permitted-address";

/**
 * Requests to destinations that users chose: to addresses that were resolved and checked before, so that no name can
 * change its meaning in between. `fetch` can't be told an address. Redirects are not followed.
 */

/** Connections to one host, which stay open for the next request. */
const CONNECTIONS = 8;
const KEPT = { keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS, timeout: 30_000 };
const agents = { "http:": new HttpAgent(KEPT), "https:": new HttpsAgent(KEPT) } as const;

/** Closes the connections that no request uses. */
export function closeIdleConnections(): void {
  for (const agent of Object.values(agents)) agent.destroy();
}

export interface PinnedAnswer {
  status: number;
  /** The Retry-After header; null where there is none. */
  retryAfter: string | null;
  /** At most `maxBytes` of the answer: what is longer is cut off. */
  body: Buffer;
}

/**
 * Posts a body to one of the addresses of a host, whose name the request bears and a certificate must prove. Throws
 * OutboundError with the code of the failure, `TimeoutError` if the whole answer isn't there in time.
 */
export function postPinned(
  url: URL,
  addresses: ResolvedAddress[],
  { headers, body }: { headers: Record<string, string>; body: string },
  { timeout, maxBytes }: Bounds,
): Promise<PinnedAnswer> {
  const isTls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const content = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)({
      method: "POST",
      agent: agents[isTls ? "https:" : "http:"],
      hostname: host,
      port: url.port || (isTls ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": content.length },
      lookup: onlyThese(addresses),
      ...(isTls && isIP(host) === 0 && { servername: host.replace(/\.$/, "") }),
    });
    const timer = setTimeout(() => sent.destroy(fail("TimeoutError")), timeout);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    const fail = (code: string | undefined) => {
      const error = new OutboundError(code ?? "unknown");
      settle(() => reject(error));
      return error;
    };
    sent.on("error", (error: { code?: string }) => fail(error.code));
    sent.on("response", (answer) =>
      readUpTo(answer, maxBytes, (read) => settle(() => resolve(answerOf(answer, read))), fail),
    );
    sent.end(content);
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): PinnedAnswer {
  return { status: statusCode, retryAfter: headers["retry-after"] ?? null, body };
}

function readUpTo(
  answer: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer) => void,
  fail: (code: string | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) return;
    done(Buffer.concat(chunks).subarray(0, maxBytes));
    answer.destroy();
  });
  answer.on("end", () => done(Buffer.concat(chunks)));
  answer.on("error", (error: { code?: string }) => fail(error.code));
  // A connection that ends before the answer does.
  answer.on("close", () => fail("ECONNRESET"));
}
