import type { Link } from "./subscription.js";

/** The part of a WebSocket that the client needs. */
export interface SocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send: (text: string) => void;
  close: () => void;
}

/** A WebSocket of a browser, of a runtime, or of a package such as `ws`. */
export type SocketConstructor = new (url: string, options?: never) => SocketLike;

/** Begins to open a socket; null where there are none, or none that this credential may open. */
export function openSocket(
  WebSocket: SocketConstructor | undefined,
  { base, token }: Link,
): SocketLike | null {
  if (!WebSocket) return null;
  const url = `${base.replace(/^http/, "ws")}/v1/ws`;
  if (token !== null) {
    try {
      return new WebSocket(url, { headers: { authorization: `Bearer ${token}` } } as never);
    } catch {
      // Browsers take no headers.
    }
    // Keys stay out of addresses: the server takes session tokens alone there.
    if (!token.startsWith("ses_")) return null;
  }
  try {
    // Browsers send the cookie of a page's session by themselves.
    return new WebSocket(token === null ? url : `${url}?token=${encodeURIComponent(token)}`);
  } catch {
    // A page that came by TLS may open none without.
    return null;
  }
}
