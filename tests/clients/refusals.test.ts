import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { SocketConstructor } from "../../clients/ts/src/index";
import { Pauses, retryAfter, sleep } from "../../clients/ts/src/pauses";
import { eventually } from "../support/expectations";
import { Listener } from "./support";

/** The client's requests, their times and credentials, as a stand-in sees them that answers as it is told to. */

const listeners: Listener[] = [];
const servers: { stop: (closes: boolean) => unknown }[] = [];
afterEach(() => {
  for (const { client } of listeners.splice(0)) client.close();
  for (const server of servers.splice(0)) server.stop(true);
});

interface Asked {
  path: string;
  authorization: string | null;
  /** Milliseconds, `performance.now()`. */
  at: number;
}

const EPOCH = "5f1c9a02b3d4e5f6";
const cursor = (number: number) => `${EPOCH}-${number}`;
const page = (next: number) => Response.json({ changes: [], next: cursor(next), is_complete: true });

/** A stand-in; `answer` gets the number of the request. */
function standIn(answer: (count: number) => Response) {
  const asked: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url, headers }) {
      const { pathname, search } = new URL(url);
      asked.push({
        path: pathname + search,
        authorization: headers.get("authorization"),
        at: performance.now(),
      });
      return answer(asked.length);
    },
  });
  servers.push(server);
  return { url: server.url.href, asked };
}

function listen(...options: ConstructorParameters<typeof Listener>): Listener {
  const listener = new Listener(...options);
  listeners.push(listener);
  return listener;
}

const KEY = `flk_${"x".repeat(43)}`;
const SESSION = `ses_${"x".repeat(43)}`;

describe("a server that refuses", () => {
  test.each([
    ["too many requests", 429],
    ["being too busy", 503],
  ])("for %s is left alone as long as Retry-After says", async (_, status) => {
    const { url, asked } = standIn((count) =>
      count === 1 ? new Response(null, { status, headers: { "retry-after": "1" } }) : page(7),
    );
    const heard = listen({ url, token: KEY, WebSocket: null }).hear("gps");
    await eventually(() => heard.starts.length > 0);
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(980);
    expect(heard.starts).toEqual([cursor(7)]);
  });

  test.each([
    [
      "a page of a proxy",
      () => new Response("<h1>Sign in</h1>", { headers: { "content-type": "text/html" } }),
    ],
    ["a refusal that isn't the server's own", () => new Response("No.", { status: 403 })],
    ["a server that fails", () => new Response("{}", { status: 500 })],
    ["an answer without its parts", () => Response.json({ changes: [] })],
  ])("by %s is asked again, with growing pauses", async (_, refuse) => {
    const { url, asked } = standIn((count) => (count < 6 ? refuse() : page(7)));
    const heard = listen({ url, token: KEY, WebSocket: null, maxPauseMs: 1_000 }).hear("gps");
    await eventually(() => heard.starts.length > 0);
    expect(heard.errors).toEqual([]);
    // Five pauses of at least half of 5, 10, 20, 40 and 80 ms.
    expect((asked[5]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(75);
  });

  test("by an end of the credential is not asked again, whoever answers so", async () => {
    const { url, asked } = standIn(() => new Response("no", { status: 401 }));
    const listener = listen({ url, token: KEY, WebSocket: null });
    const heard = listener.hear("gps");
    await listener.is("closed");
    await Bun.sleep(50);
    expect(asked).toHaveLength(1);
    expect(heard.errors.map(({ status }) => status)).toEqual([401]);
  });

  test("and asks to be left alone isn't asked for a socket either", async () => {
    const { url, asked } = standIn(
      () => new Response(null, { status: 503, headers: { "retry-after": "60" } }),
    );
    const listener = listen({ url, token: KEY });
    listener.hear("gps");
    await eventually(() => asked.length === 2);
    await Bun.sleep(200);
    expect(asked.map(({ path }) => path.split("?")[0])).toEqual(["/v1/ws", "/v1/changes"]);
    expect(listener.client.state).toBe("connecting");
  });

  test("holds no request open is not flooded with them", async () => {
    const { url, asked } = standIn(() => page(7));
    listen({ url, token: KEY, WebSocket: null }).hear("gps", cursor(7));
    await Bun.sleep(200);
    expect(asked.length).toBeLessThanOrEqual(2);
  });
});

test("no more than three requests are held at once, and the other subscriptions ask without a wait", async () => {
  let held = 0;
  let most = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url, signal }) {
      if (new URL(url).searchParams.get("wait_seconds") === "0") return page(7);
      most = Math.max(most, ++held);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      held--;
      return page(7);
    },
  });
  servers.push(server);
  const listener = listen({ url: server.url.href, token: KEY, WebSocket: null });
  const channels = ["gps", "geofence", "trips", "devices", "alerts", "vessels"] as const;
  const heard = channels.map((channel) => listener.hear(channel));
  await eventually(() => held === 3);
  await listener.is("polling");
  expect(heard.flatMap(({ starts }) => starts)).toHaveLength(5);
  await Bun.sleep(100);
  expect(most).toBe(3);
  // One that ends makes room for another.
  heard[0]?.end();
  await eventually(() => held === 2);
  await eventually(() => held === 3);
  expect(most).toBe(3);
});

test("a listener that throws hinders no other, and its error is uncaught", async () => {
  const { url } = standIn((count) =>
    Response.json({
      changes: [count, count + 1].map((number) => ({ cursor: cursor(number), type: "tripUpdate", data: {} })),
      next: cursor(count + 1),
      is_complete: true,
    }),
  );
  const source = join(import.meta.dir, "../../clients/ts/src/index.ts");
  const code = `
    import { connect } from ${JSON.stringify(source)};
    const told = [];
    process.on("uncaughtException", ({ message }) => told.push(message));
    const client = connect({ url: ${JSON.stringify(url)}, token: "flk_", WebSocket: null });
    const onChange = ({ cursor }) => {
      told.push(cursor.split("-")[1]);
      if (told.length === 1) throw new Error("thrown");
      if (told.length >= 4) client.close();
    };
    client.subscribe("trips", { since: "${cursor(0)}", onChange });
    process.on("exit", () => console.log(told.join(" ")));
  `;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe" });
  const told = (await new Response(child.stdout).text()).trim().split(" ");
  expect(told).toContain("thrown");
  expect(told.filter((word) => word !== "thrown").slice(0, 3)).toEqual(["1", "2", "3"]);
});

describe("a credential", () => {
  /** Sockets that take no headers, as those of browsers, and the addresses that they were made with. */
  function browserSockets() {
    const addresses: string[] = [];
    class BrowserSocket {
      onopen = null;
      onmessage = null;
      onerror = null;
      onclose: ((event: never) => void) | null = null;
      constructor(address: string, protocols?: unknown) {
        if (protocols !== undefined) throw new SyntaxError("The subprotocol is invalid");
        addresses.push(address);
        setTimeout(() => this.onclose?.({ code: 1006 } as never));
      }
      send() {}
      close() {}
    }
    return { addresses, WebSocket: BrowserSocket as SocketConstructor };
  }

  test("of a session goes into the address of a socket where it takes no headers", async () => {
    const { addresses, WebSocket } = browserSockets();
    const { url, asked } = standIn(() => page(7));
    const heard = listen({ url, token: SESSION, WebSocket }).hear("gps");
    await eventually(() => heard.starts.length > 0);
    expect(addresses[0]).toBe(`${url.replace("http", "ws")}v1/ws?token=${SESSION}`);
    expect(asked[0]).toMatchObject({ authorization: `Bearer ${SESSION}` });
    expect(asked[0]?.path).not.toContain(SESSION);
  });

  test("that is a key stays out of addresses: requests carry it", async () => {
    const { addresses, WebSocket } = browserSockets();
    const { url, asked } = standIn(() => page(7));
    const listener = listen({ url, token: KEY, WebSocket });
    listener.hear("gps:0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02");
    await listener.is("polling");
    expect(addresses).toEqual([]);
    expect(asked[0]).toMatchObject({
      authorization: `Bearer ${KEY}`,
      path: "/v1/changes?since=now&types=gpsUpdate%2CgpsLate&limit=100&wait_seconds=0&device_id=0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02",
    });
  });

  test("goes to the path below which a proxy serves the server", async () => {
    const { url, asked } = standIn(() => page(7));
    listen({ url: `${url}boat/`, token: KEY, WebSocket: null }).hear("trips");
    await eventually(() => asked.length > 0);
    expect(asked[0]?.path).toStartWith("/boat/v1/changes?");
    expect(() => listen({ url: "boat", token: KEY })).toThrow(TypeError);
  });
});

describe("pauses", () => {
  test("grow to the longest, are drawn by chance, and start over", () => {
    const pauses = new Pauses(1_000, 60_000);
    const grown = Array.from({ length: 8 }, () => pauses.next());
    for (const [at, most] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      expect(grown[at]).toBeGreaterThanOrEqual(most * 500);
      expect(grown[at]).toBeLessThanOrEqual(most * 1_000);
    }
    pauses.startOverAfter(9_999);
    expect(pauses.next()).toBeGreaterThanOrEqual(30_000);
    pauses.startOverAfter(10_000);
    expect(pauses.next()).toBeLessThanOrEqual(1_000);
    const first = Array.from({ length: 100 }, () => {
      pauses.startOver();
      return pauses.next();
    });
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(300);
  });

  test.each([
    ["3", 3_000],
    ["0", 0],
    ["soon", 0],
    ["-5", 0],
    ["99999999999", 86_400_000],
    [null, 0],
  ])("take %p of Retry-After for %p ms", (text, milliseconds) => {
    expect(retryAfter(new Headers(text === null ? {} : { "retry-after": text }))).toBe(milliseconds);
  });

  test("take the date of Retry-After", () => {
    const wait = retryAfter(new Headers({ "retry-after": new Date(Date.now() + 60_000).toUTCString() }));
    expect(wait).toBeGreaterThan(58_000);
    expect(wait).toBeLessThanOrEqual(60_000);
  });

  test("end with their signal, also one that has ended", async () => {
    const ended = new AbortController();
    const sleeping = sleep(60_000, ended.signal);
    ended.abort();
    await sleeping;
    await sleep(60_000, ended.signal);
  });
});
