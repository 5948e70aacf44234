import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { canListenOnIpv6, freePort, start } from "../../support/program";
import { command, temporaryDirectory } from "../../support/server";

/** A server on a host and a free port: its first lines for people, the address in its log, and the result of `fairlead health`. */
async function listeningOn(host: string, more: Record<string, string> = {}) {
  const port = String(freePort());
  const settings = { "server.host": host, "server.port": port, "data.dir": temporaryDirectory(), ...more };
  const server = start(["serve"], { ...settings, "log.level": "info", "log.format": "json" });
  const [text] = await server.prints(/[\s\S]*Or create an account [^\n]*\n/);
  const health = await command(["health"], { settings });
  await server.stop();
  const logged = /"address":"([^"]*)"/.exec(text)?.[1];
  const said = text.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  return { port, logged, said, health };
}

/** An IPv6 address of this machine that needs a zone; null if there is none. */
const linkLocal =
  Object.entries(networkInterfaces())
    .flatMap(([name, addresses = []]) => addresses.map(({ address }) => `${address}%${name}`))
    .find((address) => address.startsWith("fe80:")) ?? null;

describe("a server says where it listens", () => {
  const expectUrl = async (host: string, authority: string, urlHost = authority, more = {}) => {
    const { port, logged, said, health } = await listeningOn(host, more);
    const url = urlHost.includes("://") ? urlHost : `http://${urlHost}:${port}`;
    expect(said[0]).toBe(`Fairlead listens on ${url} (documentation: ${url}/docs)`);
    expect(said.join("\n")).toContain(`Open ${url} in a browser`);
    expect(logged).toBe(`${authority}:${port}`);
    expect(health).toMatchObject({ status: 0, stdout: "ready\n" });
  };

  test("on an address that localhost does not lead to", () => expectUrl("127.0.0.2", "127.0.0.2"));

  test("by localhost on 127.0.0.1 and on all addresses", async () => {
    await expectUrl("127.0.0.1", "127.0.0.1", "localhost");
    await expectUrl("0.0.0.0", "0.0.0.0", "localhost");
  });

  test("in one form, however the address is written", async () => {
    await expectUrl("0", "0.0.0.0", "localhost");
    await expectUrl("LocalHost", "localhost");
  });

  // Health can't ask it: no URL leads there.
  test.skipIf(linkLocal === null)("by localhost on an IPv6 address with a zone, and serves on", async () => {
    const { port, said } = await listeningOn(linkLocal ?? "");
    expect(said[0]).toBe(
      `Fairlead listens on http://localhost:${port} (documentation: http://localhost:${port}/docs)`,
    );
  });

  test("by the public address that is configured", () =>
    expectUrl("127.0.0.2", "127.0.0.2", "https://fleet.example", {
      "server.public_url": "https://fleet.example",
    }));

  test.skipIf(!canListenOnIpv6)("with brackets for IPv6, which the option may have too", async () => {
    await expectUrl("::1", "[::1]");
    await expectUrl("[::1]", "[::1]");
  });
});
