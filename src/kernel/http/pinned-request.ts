import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { type Bounds, OutboundError } from "./outbound";
import { onlyThese, type ResolvedAddress } from "./permitted-address";

/**
 * Requests to destinations that users or other servers chose: to addresses that were resolved and checked before, so that no
 * name can change its meaning in between. `fetch` can't be told an address. Redirects are not followed.
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
  contentType: string | null;
  /** The challenge of a 401. */
  challenge: string | null;
  /** True for an answer that is longer than `maxBytes`. */
  isCut: boolean;
  /** At most `maxBytes` of the answer: what is longer is cut off. */
  body: Buffer;
}

interface PinnedRequest {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: string;
}

/** Posts a body as `requestPinned` does. */
export const postPinned = (
  url: URL,
  addresses: ResolvedAddress[],
  request: Omit<PinnedRequest, "method">,
  bounds: Bounds,
): Promise<PinnedAnswer> => requestPinned(url, addresses, { method: "POST", ...request }, bounds);

/**
 * Sends a request to one of the addresses of a host, whose name the request bears and a certificate must prove. Throws
 * OutboundError with the code of the failure, `TimeoutError` if the whole answer isn't there in time.
 */
export function requestPinned(
  url: URL,
  addresses: ResolvedAddress[],
  { method, headers, body }: PinnedRequest,
  { timeout, maxBytes }: Bounds,
): Promise<PinnedAnswer> {
  const isTls = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const content = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = (isTls ? httpsRequest : httpRequest)({
      method,
      agent: agents[isTls ? "https:" : "http:"],
      hostname: host,
      port: url.port || (isTls ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: url.host,
        ...(method === "POST" && { "content-length": content.length }),
      },
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
      readUpTo(answer, maxBytes, (read, isCut) => settle(() => resolve(answerOf(answer, read, isCut))), fail),
    );
    if (method === "POST") sent.end(content);
    else sent.end();
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer, isCut: boolean): PinnedAnswer {
  return {
    status: statusCode,
    retryAfter: headers["retry-after"] ?? null,
    contentType: headers["content-type"] ?? null,
    challenge: headers["www-authenticate"] ?? null,
    isCut,
    body,
  };
}

function readUpTo(
  answer: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer, isCut: boolean) => void,
  fail: (code: string | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) return;
    done(Buffer.concat(chunks).subarray(0, maxBytes), true);
    answer.destroy();
  });
  answer.on("end", () => done(Buffer.concat(chunks), false));
  answer.on("error", (error: { code?: string }) => fail(error.code));
  // A connection that ends before the answer does.
  answer.on("close", () => fail("ECONNRESET"));
}
