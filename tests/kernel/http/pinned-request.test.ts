import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import dns from "node:dns/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { OutboundError } from "../../../src/kernel/http/outbound";
import {
  AddressRefused,
  anyAddresses,
  checkDestination,
  permittedAddresses,
  type ResolvedAddress,
} from "../../../src/kernel/http/permitted-address";
import { closeIdleConnections, postPinned } from "../../../src/kernel/http/pinned-request";
import { configure } from "../../support/in-process";

/** Requests to addresses that users chose. */

const HERE: ResolvedAddress[] = [{ address: "127.0.0.1", family: 4 }];
const BOUNDS = { timeout: 10_000, maxBytes: 1_000 };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
let handler: Handler = (_, response) => response.end();
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.headers.host} ${request.url}`);
  handler(request, response);
});
const listen = (one: Server) =>
  new Promise<number>((listening) => {
    one.listen(0, "127.0.0.1", () => listening((one.address() as AddressInfo).port));
  });

let port = 0;
beforeAll(async () => {
  port = await listen(server);
});
beforeEach(() => {
  configure();
  asked.length = 0;
});
afterAll(() => {
  closeIdleConnections();
  server.closeAllConnections();
  server.close();
});

const post = (
  next: Handler,
  { host = "boat.example", path = "/hook?key=s", timeout = BOUNDS.timeout } = {},
) => {
  handler = next;
  const message = { headers: { "content-type": "text/plain" }, body: "grüße" };
  return postPinned(new URL(`http://${host}:${port}${path}`), HERE, message, { ...BOUNDS, timeout });
};

async function codeOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return (error as OutboundError).message;
}

describe("a request", () => {
  test("goes to the given address, whatever the name means, and bears the name", async () => {
    const lookups = spyOn(dns, "lookup");
    let body = "";
    const answer = await post((request, response) => {
      request.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => response.writeHead(201, { "retry-after": "7" }).end("taken"));
    });
    expect({ ...answer, body: answer.body.toString() }).toEqual({
      status: 201,
      retryAfter: "7",
      contentType: null,
      challenge: null,
      isCut: false,
      body: "taken",
    });
    expect(asked).toEqual([`POST boat.example:${port} /hook?key=s`]);
    expect(body).toBe("grüße");
    expect(lookups).not.toHaveBeenCalled();
    lookups.mockRestore();
  });

  test("tries the next address where nothing listens at the first", async () => {
    handler = (_, response) => response.end("here");
    const addresses: ResolvedAddress[] = [{ address: "127.0.0.9", family: 4 }, ...HERE];
    const url = new URL(`http://twice.example:${port}/`);
    const { status } = await postPinned(url, addresses, { headers: {}, body: "" }, BOUNDS);
    expect(status).toBe(200);
  });

  test("follows no redirect", async () => {
    const { status } = await post((_, response) => response.writeHead(302, { location: "/other" }).end());
    expect(status).toBe(302);
    expect(asked).toHaveLength(1);
  });

  test("reads an answer up to its bound, and keeps the status of a longer one", async () => {
    const { status, body, isCut } = await post((_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    });
    expect([status, body.length, isCut]).toEqual([200, 1_000, true]);
  });

  test("ends in time, also when the answer drips", async () => {
    expect(await codeOf(post(() => {}, { timeout: 100 }))).toBe("TimeoutError");
    const drip: Handler = (_, response) => {
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    };
    expect(await codeOf(post(drip, { timeout: 200 }))).toBe("TimeoutError");
  });

  test("tells of a connection that is refused or cut by its code alone", async () => {
    expect(await codeOf(post((_, response) => response.destroy()))).toBe("ECONNRESET");
    const cut: Handler = (_, response) => {
      response.writeHead(200, { "content-length": "10" }).write("half");
      setTimeout(() => response.destroy(), 20);
    };
    expect(await codeOf(post(cut))).toBe("ECONNRESET");
    const nowhere = createTcpServer();
    const closed = await listen(nowhere);
    nowhere.close();
    const url = new URL(`http://127.0.0.1:${closed}/`);
    expect(await codeOf(postPinned(url, HERE, { headers: {}, body: "" }, BOUNDS))).toBe("ECONNREFUSED");
  });

  test("keeps its connection for the next one", async () => {
    const ports = new Set<number>();
    const note: Handler = (request, response) => {
      ports.add(request.socket.remotePort ?? 0);
      response.end();
    };
    for (let at = 0; at < 5; at++) await post(note, { host: "kept.example" });
    expect(ports.size).toBe(1);
  });

  test("over TLS asks for the name, and takes no certificate that doesn't prove it", async () => {
    const names: string[] = [];
    const tls = createTlsServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(new Error("no certificate"));
      },
    });
    const tlsPort = await listen(tls);
    const url = new URL(`https://boat.example:${tlsPort}/`);
    const code = await codeOf(postPinned(url, HERE, { headers: {}, body: "" }, BOUNDS));
    expect(code).not.toBe("TimeoutError");
    expect(names).toEqual(["boat.example"]);
    tls.close();
  });
});

// --- Permission -------------------------------------------------------------------------------------------

const permitted = (host: string, at = 80) => permittedAddresses(host, at);

describe("addresses are permitted", () => {
  test("by what they are", async () => {
    expect(await permitted("8.8.8.8")).toEqual([{ address: "8.8.8.8", family: 4 }]);
    expect(await permitted("[2606:4700::1111]")).toEqual([{ address: "2606:4700::1111", family: 6 }]);
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254", "0.0.0.0"])
      await expect(permitted(host)).rejects.toThrow("notifications.allowed_hosts");
    await expect(permitted("192.168.1.10")).rejects.toThrow("notifications.allow_private_addresses = true");
  });

  test("in private networks where the operator lets them, but nothing worse", async () => {
    configure({ "notifications.allow_private_addresses": "true" });
    expect(await permitted("192.168.1.10")).toHaveLength(1);
    expect(await permitted("[fd12::1]")).toHaveLength(1);
    for (const host of ["127.0.0.1", "[fd00:ec2::254]", "100.100.100.200", "169.254.1.1", "localhost"])
      await expect(permitted(host)).rejects.toBeInstanceOf(AddressRefused);
  });

  test("where their host is listed, by itself or with the port", async () => {
    configure({ "notifications.allowed_hosts": "127.0.0.1:8080,LOCALHOST,[::1]:1883,192.168.1.10" });
    expect(await permitted("127.0.0.1", 8_080)).toHaveLength(1);
    await expect(permitted("127.0.0.1", 8_081)).rejects.toBeInstanceOf(AddressRefused);
    expect((await permitted("localhost", 1)).length).toBeGreaterThan(0);
    expect((await permitted("localhost.", 2)).length).toBeGreaterThan(0);
    expect(await permitted("[::1]", 1_883)).toHaveLength(1);
    await expect(permitted("[::1]", 1_884)).rejects.toBeInstanceOf(AddressRefused);
    expect(await permitted("192.168.1.10", 99)).toHaveLength(1);
  });

  test("of names, as they resolve once: every address must be permitted", async () => {
    const lookup = spyOn(dns, "lookup");
    const resolve = (...addresses: string[]) =>
      lookup.mockImplementation((async () =>
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))) as never);
    try {
      resolve("8.8.8.8", "2606:4700::1111");
      expect(await permitted("public.example")).toHaveLength(2);
      expect(lookup).toHaveBeenCalledTimes(1);
      for (const worse of ["127.0.0.1", "::ffff:127.0.0.1", "fe80::1%eth0", "10.0.0.1"]) {
        resolve("8.8.8.8", worse);
        await expect(permitted("mixed.example")).rejects.toBeInstanceOf(AddressRefused);
      }
    } finally {
      lookup.mockRestore();
    }
  });

  test("of the operator's own choice anywhere", async () => {
    expect(await anyAddresses("127.0.0.1")).toEqual(HERE);
    expect((await anyAddresses("localhost")).length).toBeGreaterThan(0);
  });

  test("when they are chosen, although a name doesn't resolve now", async () => {
    await checkDestination(new URL("http://no.such.host.invalid/hook"));
    for (const address of [
      "http://0x7f.1/",
      "http://2130706433/",
      "http://[::ffff:127.0.0.1]/",
      "http://localhost/",
    ])
      await expect(checkDestination(new URL(address))).rejects.toBeInstanceOf(AddressRefused);
  });
});
