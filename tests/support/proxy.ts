import type { ServerWebSocket } from "bun";

/**
 * A reverse proxy that serves a server below a path, as nginx does: it takes the path away, passes Host and everything else on, and
 * carries sockets. Beside the path there is nothing.
 */

interface Carried {
  path: string;
  headers: Record<string, string>;
  upstream?: WebSocket;
  /** Messages of the client that came before the server was reached. */
  waiting: (string | Buffer<ArrayBuffer>)[];
}

export interface Proxy {
  port: number;
  /** Paths that were asked for outside of the prefix. */
  strays: string[];
  stop: () => Promise<void>;
}

/** Of one connection alone, so a proxy doesn't pass them on (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ["connection", "upgrade", "keep-alive", "transfer-encoding"];

/** With `ingress` it tells the path, as Home Assistant does, and at its root is a page that frames the server. */
export function startProxy(target: string, prefix: string, { ingress = false } = {}): Proxy {
  const strays: string[] = [];
  const server = Bun.serve<Carried, never>({
    port: 0,
    fetch: async (request, self) => {
      const { pathname, search } = new URL(request.url);
      if (ingress && pathname === "/")
        return new Response(
          `<!doctype html><title>Home</title><link rel="icon" href="data:,"><iframe name="addon" src="${prefix}/" width="1200" height="700"></iframe>`,
          { headers: { "content-type": "text/html" } },
        );
      if (!pathname.startsWith(`${prefix}/`)) {
        // Browsers ask for the picture of a host by themselves.
        if (pathname !== "/favicon.ico") strays.push(pathname);
        return new Response("elsewhere", { status: 404 });
      }
      const path = pathname.slice(prefix.length) + search;
      const passed = [...request.headers].filter(([name]) => !HOP_BY_HOP.includes(name));
      if (ingress) passed.push(["x-ingress-path", prefix]);
      if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
        const headers = Object.fromEntries(passed.filter(([name]) => !name.startsWith("sec-websocket-")));
        return self.upgrade(request, { data: { path, headers, waiting: [] } })
          ? undefined
          : new Response("no socket", { status: 400 });
      }
      const answer = await fetch(target + path, {
        method: request.method,
        headers: passed,
        redirect: "manual",
        decompress: false,
        ...(request.body && { body: await request.arrayBuffer() }),
      });
      return new Response(answer.body, answer);
    },
    websocket: {
      open: (client: ServerWebSocket<Carried>) => {
        const { path, headers, waiting } = client.data;
        const upstream = new WebSocket(target.replace(/^http/, "ws") + path, { headers } as never);
        client.data.upstream = upstream;
        upstream.onopen = () => {
          for (const message of waiting) upstream.send(message);
        };
        upstream.onmessage = ({ data }) => client.send(data as string);
        upstream.onclose = ({ code }) => client.close(code === 1006 ? 1011 : code);
      },
      message: ({ data: { upstream, waiting } }, message) => {
        if (upstream?.readyState === WebSocket.OPEN) upstream.send(message);
        else waiting.push(message as string);
      },
      close: ({ data }) => data.upstream?.close(),
    },
  });
  return { port: server.port as number, strays, stop: () => server.stop(true) };
}
