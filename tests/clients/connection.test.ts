import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "../support/expectations";
import { freePort } from "../support/program";
import { write } from "../support/rows";
import { command, TestServer, temporaryDirectory } from "../support/server";
import { postPoint } from "../tracking/support";
import { BadLine } from "./bad-line";
import { hasAll, idsOf, Listener, WAYS } from "./support";

/** The life of a client's connections: restarts, refusals, the long poll, and the end of credentials. */

const listeners: Listener[] = [];
afterEach(() => {
  for (const { client } of listeners.splice(0)) client.close();
});

function listen(...options: ConstructorParameters<typeof Listener>): Listener {
  const listener = new Listener(...options);
  listeners.push(listener);
  return listener;
}

describe("a server that is started again", () => {
  let server: TestServer;
  let settings: Record<string, string>;
  let key: string;
  let reader: string;
  beforeAll(async () => {
    settings = { "server.port": String(freePort()) };
    server = await TestServer.start({ settings });
    ({ key } = await server.device());
    reader = await server.key("gps:read");
  });
  afterAll(() => server.stop());

  const post = async () => (await postPoint(server, key)).id as string;
  const startAgain = async () => {
    server = await TestServer.start({ settings, dataDir: server.dataDir });
  };

  test.each(WAYS)(
    "is read on from, after a kill and after a clean stop, by $way",
    async ({ options, state }) => {
      const listener = listen({ url: server.url, token: reader, ...options });
      const heard = listener.hear("gps");
      await eventually(() => heard.starts.length > 0);
      const posted: string[] = [];
      for (const signal of ["SIGKILL", "SIGTERM"] as const) {
        posted.push(await post(), await post());
        await server.stop(signal);
        await startAgain();
        posted.push(await post());
      }
      await hasAll(heard, posted);
      await listener.is(state);
      expect([heard.resets, heard.errors, heard.starts.length]).toEqual([[], [], 1]);
    },
  );

  test.each(WAYS)(
    "resets a subscription whose changes are not kept any more, by $way",
    async ({ options }) => {
      const heard = listen({ url: server.url, token: reader, ...options }).hear("gps");
      await eventually(() => heard.starts.length > 0);
      await server.stop();
      await startAgain();
      const [before] = [await post(), await post()];
      await eventually(() => heard.changes.length === 2);
      await server.stop();
      const late = listen({ url: server.url, token: reader, ...options }).hear("gps", heard.starts[0]);
      write(server, "DELETE FROM changes WHERE number < (SELECT max(number) FROM changes)");
      await startAgain();
      await eventually(() => late.resets.length > 0);
      const after = await post();
      await hasAll(late, [after]);
      expect(late.resets).toEqual([{ cursor: heard.changes[1]?.cursor ?? "", reason: "expired" }]);
      // The other one knew all that was forgotten.
      await eventually(() => heard.changes.length === 3);
      expect([idsOf(heard.changes)[0], heard.resets]).toEqual([before, []]);
    },
  );

  test.each(WAYS)("resets every subscription once a backup was restored, by $way", async ({ options }) => {
    const listener = listen({ url: server.url, token: reader, ...options });
    const heard = [listener.hear("gps"), listener.hear("gps")];
    await eventually(() => heard.every(({ starts }) => starts.length > 0));
    const file = join(temporaryDirectory(), "backup.db");
    const data = { settings: { "data.dir": server.dataDir } };
    expect((await command(["backup", file], data)).status).toBe(0);
    await post();
    await eventually(() => heard.every(({ changes }) => changes.length === 1));
    await server.stop();
    // The former database is kept under a name that has the second in it.
    await Bun.sleep(1_000);
    expect((await command(["restore", file], data)).status).toBe(0);
    await startAgain();
    await eventually(() => heard.every(({ resets }) => resets.length > 0));
    const after = await post();
    await eventually(() => heard.every(({ changes }) => changes.length === 2));
    for (const { changes, resets, errors } of heard) {
      expect(idsOf(changes)[1]).toBe(after);
      expect(resets.map(({ reason }) => reason)).toEqual(["epoch"]);
      expect(errors).toEqual([]);
    }
  });
});

describe("a server that stays", () => {
  let server: TestServer;
  let line: BadLine;
  let device: { id: string; key: string };
  let reader: string;
  beforeAll(async () => {
    server = await TestServer.start();
    line = await BadLine.start(server.url, 1);
    device = await server.device();
    reader = await server.key("gps:read");
  });
  afterAll(async () => {
    line.stop();
    await server.stop();
  });

  const post = async () => (await postPoint(server, device.key)).id as string;

  test("is read by requests while sockets don't get through, and by a socket again once they do", async () => {
    line.mode = "no sockets";
    const listener = listen({ url: line.url, token: reader });
    const heard = listener.hear("gps");
    const own = listener.hear(`gps:${device.id}`);
    await listener.is("polling");
    const posted = [await post(), await post()];
    await hasAll(heard, posted);
    line.mode = "pass";
    await listener.is("live");
    posted.push(await post());
    line.mode = "no sockets";
    line.hangUp();
    posted.push(await post());
    await hasAll(heard, posted);
    await hasAll(own, posted);
    await listener.is("polling");
    line.mode = "pass";
    await listener.is("live");
    expect(listener.states.slice(0, 3)).toEqual(["connecting", "polling", "live"]);
  });

  test("that says nothing more is left, and read on from over another connection", async () => {
    // As long as it answers, the connection is kept.
    let pongs = 0;
    class Watched extends WebSocket {
      constructor(url: string, options?: never) {
        super(url, options);
        this.addEventListener("message", ({ data }) => {
          if (JSON.parse(String(data)).type === "pong") pongs++;
        });
      }
    }
    const patient = listen({ url: line.url, token: reader, idleMs: 1_000, WebSocket: Watched });
    patient.hear("gps");
    await patient.is("live");
    const kept = line.connections;
    await eventually(() => pongs >= 2);
    expect(line.connections).toBe(kept);
    patient.client.close();

    const listener = listen({ url: line.url, token: reader, idleMs: 50 });
    const heard = listener.hear("gps");
    await listener.is("live");
    const before = line.connections;
    line.freeze();
    const posted = await post();
    await hasAll(heard, [posted]);
    expect(line.connections).toBeGreaterThan(before);
    line.hangUp();
  });

  test("is asked no more once the credential has ended", async () => {
    for (const { options, state } of WAYS) {
      const { id, key } = await server.createKey("gps:read");
      const listener = listen({ url: line.url, token: key, ...options });
      const heard = [listener.hear("gps"), listener.hear("gps")];
      await eventually(() => heard.every(({ starts }) => starts.length > 0));
      await listener.is(state);
      await server.delete(`/v1/api-keys/${id}`, { token: await server.admin() });
      await listener.is("closed");
      expect(listener.client.error).toMatchObject({ status: 401, error: "Unauthorized" });
      for (const { errors } of heard) expect(errors.map(({ status }) => status)).toEqual([401]);
      const asked = line.connections;
      const late = listener.hear("gps");
      await Bun.sleep(150);
      expect([line.connections, late.errors.map(({ status }) => status)]).toEqual([asked, [401]]);
    }
  });

  test("refuses a wrong token once, and is asked no more", async () => {
    const before = line.connections;
    const listener = listen({ url: line.url, token: `flk_${"x".repeat(43)}` });
    const heard = listener.hear("gps");
    await listener.is("closed");
    expect(heard.errors.map(({ status, error }) => ({ status, error }))).toEqual([
      { status: 401, error: "Unauthorized" },
    ]);
    await Bun.sleep(100);
    expect(line.connections - before).toBeLessThanOrEqual(2);
  });

  test.each(WAYS)(
    "ends a subscription that the token may not have, and no other, by $way",
    async ({ options, state }) => {
      const listener = listen({ url: server.url, token: reader, ...options });
      const [positions, trips] = [listener.hear("gps"), listener.hear("trips")];
      const wrong = listener.hear("geofence", "no cursor");
      await eventually(
        () => trips.errors.length + wrong.errors.length === 2 && positions.starts.length === 1,
      );
      expect(trips.errors.map(({ status, error }) => ({ status, error }))).toEqual([
        { status: 403, error: "Forbidden" },
      ]);
      expect(wrong.errors[0]?.status).toBeOneOf([400, 403]);
      const posted = await post();
      await hasAll(positions, [posted]);
      await listener.is(state);
      expect(positions.errors).toEqual([]);
    },
  );

  test.each(WAYS)("ends a subscription that loses its right, by $way", async ({ options, state }) => {
    const { id, key } = await server.createKey("gps:read", "trips:read");
    const listener = listen({ url: server.url, token: key, ...options });
    const [positions, trips] = [listener.hear("gps"), listener.hear("trips")];
    await eventually(() => positions.starts.length + trips.starts.length === 2);
    await listener.is(state);
    const body = { scopes: ["gps:read"] };
    expect((await server.patch(`/v1/api-keys/${id}`, { token: await server.admin(), body })).status).toBe(
      200,
    );
    await eventually(() => trips.errors.length > 0);
    expect(trips.errors.map(({ status }) => status)).toEqual([403]);
    const posted = await post();
    await hasAll(positions, [posted]);
    await listener.is(state);
  });

  test("ends a subscription to a channel that isn't numbered", async () => {
    const heard = listen({ url: server.url, token: reader }).hear("public" as "gps");
    await eventually(() => heard.errors.length > 0);
    expect(heard.errors.map(({ status }) => status)).toEqual([400]);
  });

  test.each(WAYS)(
    "serves subscriptions that come and go, each by itself, by $way",
    async ({ options, state }) => {
      const listener = listen({ url: line.url, token: reader, ...options });
      const first = listener.hear("gps");
      await eventually(() => first.starts.length > 0);
      const posted = [await post(), await post()];
      await hasAll(first, posted);
      const cursor = first.starts[0];
      // Another of the same channel begins where it wants to, and may end while its changes are under way.
      const again = listener.hear("gps", cursor);
      listener.hear("gps", cursor).end();
      const brief = listener.hear("gps", cursor);
      await eventually(() => brief.changes.length > 0);
      brief.end();
      const count = brief.changes.length;
      first.end();
      const third = listener.hear("gps", cursor);
      posted.push(await post());
      await hasAll(again, posted);
      await hasAll(third, posted);
      expect([first.changes.length, brief.changes.length]).toEqual([2, count]);
      await listener.is(state);
      again.end();
      third.end();
      expect(listener.client.state).toBe("idle");
      await eventually(() => line.openSockets === 0);
      const last = listener.hear("gps", cursor);
      await hasAll(last, posted);
      listener.client.close();
      expect(listener.client.state).toBe("closed");
      await post();
      await Bun.sleep(50);
      expect(idsOf(last.changes)).toEqual(posted);
      expect([again, third, last].flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  test("ends from within its own messages", async () => {
    const listener = listen({ url: server.url, token: reader });
    const heard = listener.hear("gps");
    await eventually(() => heard.starts.length > 0);
    const ids: unknown[] = [];
    const end = listener.client.subscribe("gps", {
      since: heard.starts[0] ?? "",
      onChange: ({ data }) => {
        ids.push("id" in data ? data.id : null);
        end();
      },
    });
    const posted = [await post(), await post(), await post()];
    await hasAll(heard, posted);
    expect(ids).toEqual(posted.slice(0, 1));
  });
});
