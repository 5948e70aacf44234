import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { boundedFetch, jsonOf, OutboundError, retryAfter } from "../../../src/kernel/http/outbound";
import { SmtpStandIn } from "../../stand-ins/smtp";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const SECRET = "what-the-source-said";
let handler: Handler = (_, response) => response.end();
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  handler(request, response);
});
let base = "";

beforeAll(async () => {
  await new Promise<void>((listening) => {
    server.listen(0, "127.0.0.1", listening);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const BOUNDS = { timeout: 20_000, maxBytes: 1_000 };
const IMPATIENT = { timeout: 100, maxBytes: 1_000 };

function ask(next: Handler, { bounds = BOUNDS, init = {}, path = `/asked?key=${SECRET}` } = {}) {
  handler = next;
  asked = [];
  return boundedFetch(base + path, init, bounds);
}

/** The reason of an OutboundError; fails for an answer and for any other error. */
async function word(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return (error as OutboundError).message;
}

const end =
  (status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** Without a length, in two pieces. */
const chunked =
  (size: number): Handler =>
  (_, response) => {
    response.write("x".repeat(size - 1));
    response.end("x");
  };

test("answers with status, headers and the whole body, packed or not", async () => {
  const body = JSON.stringify({ text: "ü".repeat(400) });
  const plain = await ask(end(418, body, { etag: '"1"' }));
  expect([plain.status, plain.headers.get("etag"), await plain.text()]).toEqual([418, '"1"', body]);
  const packed = await ask(end(200, gzipSync(body), { "content-encoding": "gzip" }));
  expect([packed.status, await packed.text()]).toEqual([200, body]);
});

test("asks as it was told: method, headers and body", async () => {
  let heard = "";
  const answer = await ask(
    (request, response) => {
      request.on("data", (chunk: Buffer) => {
        heard += chunk;
      });
      request.on("end", () => response.end(request.headers["if-none-match"]));
    },
    { init: { method: "POST", headers: { "if-none-match": '"1"' }, body: "a=b" } },
  );
  expect([await answer.text(), heard, asked]).toEqual(['"1"', "a=b", [`POST /asked?key=${SECRET}`]]);
});

test.each([204, 205, 304])("answers %i, which has no body", async (status) => {
  const answer = await ask(end(status, ""));
  expect([answer.status, await answer.text()]).toEqual([status, ""]);
});

test.each([301, 302, 303, 307, 308])(
  "answers the redirect %i as it is and asks nobody else",
  async (status) => {
    for (const location of ["/elsewhere", `${base}/elsewhere`, "http://192.0.2.1/"]) {
      const answer = await ask(end(status, "moved", { location }));
      expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([
        status,
        location,
        "moved",
      ]);
      expect(asked.length).toBe(1);
    }
  },
);

describe("takes as many bytes as the bound says, and refuses one more", () => {
  const kinds: Record<string, (size: number) => Handler> = {
    "with a length": (size) => end(200, "x".repeat(size)),
    "without a length": chunked,
    unpacked: (size) => end(200, gzipSync("x".repeat(size)), { "content-encoding": "gzip" }),
    "with a status that is no success": (size) => end(500, "x".repeat(size)),
  };
  test.each(Object.entries(kinds))("%s", async (_, of) => {
    expect((await (await ask(of(1_000))).text()).length).toBe(1_000);
    expect(await word(ask(of(1_001)))).toBe("more than 1000 bytes");
  });

  test("whatever length was announced", async () => {
    const lying: Handler = (_, response) => {
      response.writeHead(200, { "content-length": "100000000" });
      response.write("x".repeat(2_000));
    };
    expect(await word(ask(lying))).toBe("more than 1000 bytes");
  });

  test("of a body without an end, whose connection it closes", async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const endless: Handler = (_, response) => {
      response.on("close", resolve);
      const more = () => {
        if (!response.destroyed) response.write("x".repeat(100), () => setImmediate(more));
      };
      more();
    };
    expect(await word(ask(endless))).toBe("more than 1000 bytes");
    await ended;
  });

  test("of a gzip bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect(await word(ask(end(200, bomb, { "content-encoding": "gzip" })))).toBe("more than 1000 bytes");
  });
});

describe("gives up when the time is over", () => {
  const silences: Record<string, Handler> = {
    "before the answer begins": () => {},
    "after its headers": (_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.flushHeaders();
    },
    "in the middle": (_, response) => {
      response.write(SECRET);
    },
    "while it drips": (_, response) => {
      const drip = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(drip));
    },
  };
  test.each(Object.entries(silences))("%s, and closes the connection", async (_, silence) => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const silent: Handler = (request, response) => {
      response.on("close", resolve);
      silence(request, response);
    };
    // On a busy machine the time may run out before the request arrives: then it is made again.
    do expect(await word(ask(silent, { bounds: IMPATIENT }))).toBe("TimeoutError");
    while (asked.length === 0);
    await ended;
  });
});

describe("quotes neither address nor answer in the error", () => {
  const broken: Record<string, Handler> = {
    "for a connection that is cut": (request) => request.socket.destroy(),
    "for an answer that is cut": (_, response) => {
      response.writeHead(200, { "content-length": "900" });
      response.write(SECRET, () => response.socket?.destroy());
    },
    "for an answer of unknown length that is cut": (_, response) => {
      response.write(SECRET, () => response.socket?.destroy());
    },
    "for what was never packed": end(200, SECRET, { "content-encoding": "gzip" }),
    "for a packed answer that is cut": end(
      200,
      gzipSync(Bun.hash(SECRET).toString().repeat(3)).subarray(0, 25),
      {
        "content-encoding": "gzip",
      },
    ),
    "for a status that there can't be": end(999, SECRET),
    "for too much": end(200, SECRET.repeat(100)),
  };
  test.each(Object.entries(broken))("%s", async (_, next) => {
    expect(await word(ask(next))).toMatch(/^(\w+|more than 1000 bytes)$/);
  });

  test("for what isn't HTTP", async () => {
    const other = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.end(`220 ${SECRET}\r\n`);
    });
    await new Promise<void>((listening) => {
      other.listen(0, "127.0.0.1", listening);
    });
    const { port } = other.address() as AddressInfo;
    expect(await word(boundedFetch(`http://127.0.0.1:${port}/${SECRET}`, {}, BOUNDS))).toMatch(/^\w+$/);
    other.close();
    expect(await word(boundedFetch(`http://127.0.0.1:${port}/${SECRET}`, {}, BOUNDS))).toMatch(/^\w+$/);
  });

  test.each([`https://127.0.0.1:PORT/${SECRET}`, `http://${SECRET}.invalid/`, `nothing://${SECRET}`, SECRET])(
    "for the address %s",
    async (address) => {
      const { port } = server.address() as AddressInfo;
      const url = address.replace("PORT", String(port));
      expect(await word(boundedFetch(url, {}, BOUNDS))).toMatch(/^\w+$/);
    },
  );
});

test("takes no certificate that nobody signed", async () => {
  // Any server with TLS will do: the certificate comes before the first byte of HTTP.
  const impostor = await SmtpStandIn.start({ secure: true });
  const url = impostor.url({ protocol: "https" });
  expect(await word(boundedFetch(url, {}, BOUNDS))).toMatch(/CERT/);
  // The certificate is the reason: a client that accepts any certificate gets as far as the reply, which
  // isn't HTTP.
  const failure = fetch(url, { tls: { rejectUnauthorized: false } }).catch(({ code }) => code);
  expect(String(await failure)).not.toMatch(/CERT/);
  await impostor.stop();
});

describe("jsonOf", () => {
  test.each(["[]", "null", "0", '"text"', '{"a":[1]}'])("reads %s", async (text) => {
    expect(await jsonOf(new Response(text))).toEqual(JSON.parse(text));
  });

  test.each(["", `<html>${SECRET}</html>`, `{"${SECRET}":`, "NaN", "[".repeat(200_000)])(
    "refuses what is none, in words of its own (%#)",
    async (text) => {
      expect(await word(jsonOf(new Response(text)))).toBe("not JSON");
    },
  );
});

describe("retryAfter", () => {
  const now = Date.parse("2026-09-27T19:00:00Z");
  const wait = (value?: string) =>
    retryAfter(new Response("", { headers: value === undefined ? {} : { "retry-after": value } }), now);

  test.each([
    ["1", 1_000],
    [" 120 ", 120_000],
    ["3600", 3_600_000],
    ["Sun, 27 Sep 2026 19:00:30 GMT", 30_000],
    ["Sunday, 27-Sep-26 19:00:30 GMT", 30_000],
    ["Sun Sep 27 19:00:30 2026 GMT", 30_000],
  ])("reads %j", (value, milliseconds) => {
    expect(wait(value)).toBe(milliseconds);
  });

  test.each(["3601", "86400", "9".repeat(12), "9".repeat(400), "Sun, 27 Sep 2099 19:00:30 GMT"])(
    "waits an hour at most, for %j too",
    (value) => {
      expect(wait(value)).toBe(3_600_000);
    },
  );

  test.each([undefined, "", "0", "-5", "soon", "1.5", "Sun, 27 Sep 2026 18:59:59 GMT"])(
    "finds nothing to wait for in %j",
    (value) => {
      expect(wait(value)).toBeNull();
    },
  );
});
