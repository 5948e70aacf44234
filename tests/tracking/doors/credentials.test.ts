import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../support/api";
import { done, expectRefused, expectStatus } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { newUser, staff } from "../../support/people";
import { rawRequest } from "../../support/raw-http";
import { assign, grant, newRole, revoke } from "../../support/roles";
import { TestServer } from "../../support/server";
import {
  basic,
  DOORS,
  expectPrivate,
  type Made,
  newTracker,
  nextTime,
  ownTracks,
  readTracker,
} from "./support";

/** Whoever is let in at the doors of apps, and who is not: always 401. */

let server: TestServer;
let admin: Token;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
});
afterAll(() => server.stop());

const PATH = "/v1/ingest/owntracks";

const knock = (headers: Record<string, string>, path = PATH) =>
  server.post(path, {
    headers,
    body: ownTracks(Math.floor(server.time / 1000) - 1_000 + (nextTime() % 900)),
  });
const byBearer = (token: Token) => knock({ authorization: `Bearer ${token}` });

async function expectRefusal(answer: Awaited<ReturnType<typeof knock>>): Promise<void> {
  expectRefused(answer, 401, "Unauthorized");
  expect(answer.headers.get("www-authenticate")).toBe('Bearer, Basic realm="Fairlead", charset="UTF-8"');
  expectPrivate(answer);
}

const expectSilent = async ({ token }: Made) => expectRefusal(await byBearer(token));
const expectHeard = async ({ token }: Made) => expectStatus(await byBearer(token), 200);

describe("a door refuses", () => {
  test("whoever has no credential, or none that can be read", async () => {
    for (const authorization of ["", "Bearer", "Bearer ", "Basic", "Basic !!!", "Digest x", "flt_x"])
      await expectRefusal(await knock({ authorization }));
    await expectRefusal(await knock({}));
    await expectRefusal(await knock({}, `${PATH}/x`));
  });

  test("an unknown token in each place", async () => {
    const token = `flt_${"x".repeat(43)}`;
    await expectRefusal(await byBearer(token));
    await expectRefusal(await knock({ authorization: basic(token) }));
    await expectRefusal(await knock({}, `${PATH}/${token}`));
  });

  test("two tokens that differ, and takes one that stands there twice", async () => {
    const [one, other] = [await newTracker(server, "owntracks"), await newTracker(server, "owntracks")];
    await expectRefusal(await knock({ authorization: `Bearer ${one.token}` }, `${PATH}/${other.token}`));
    await expectRefusal(await knock({ authorization: basic(one.token) }, `${PATH}/${other.token}`));
    await expectRefusal(await knock({ authorization: basic("wrong") }, `${PATH}/${other.token}`));
    expectStatus(await knock({ authorization: basic(one.token) }, `${PATH}/${one.token}`), 200);
    // A user name without a password is what some apps send beside an address that says all.
    expectStatus(await knock({ authorization: basic("") }, `${PATH}/${one.token}`), 200);
  });

  test("a token in the query, but for api_key at the door of Dawarich", async () => {
    const { token } = await newTracker(server, "gpslogger");
    for (const name of ["api_key", "token", "access_token"])
      await expectRefusal(await knock({}, `${PATH}?${name}=${token}`));
    const dawarich = "/v1/ingest/dawarich/api/v1/overland/batches";
    const body = { locations: [] };
    expectStatus(await server.post(`${dawarich}?api_key=${token}`, { body }), 200);
    expectStatus(await server.post(`${dawarich}/?api_key=${token}`, { body }), 200);
    for (const query of ["token=", "access_token=", "api_key=x", `api_key=${token}&api_key=x`])
      await expectRefusal(
        await server.post(`${dawarich}?${query}${query.endsWith("=") ? token : ""}`, { body }),
      );
    const { token: other } = await newTracker(server, "gpslogger");
    await expectRefusal(await server.post(`${dawarich}?api_key=${token}`, { body, token: other }));
  });

  test("sessions, keys without device or right, and keys elsewhere than as Bearer", async () => {
    const device = await server.device();
    expectStatus(await byBearer(device.key), 200);
    await expectRefusal(await knock({ authorization: basic(device.key) }));
    await expectRefusal(await knock({}, `${PATH}/${device.key}`));
    await expectRefusal(await byBearer(admin));
    await expectRefusal(await byBearer(server.systemKey));
    await expectRefusal(await byBearer(await server.key("gps:write")));
    const { id: keyId, key } = await server.createKey("gps:read", "devices:read");
    done(await server.post("/v1/devices", { token: admin, body: { name: "x", api_key_id: keyId } }));
    await expectRefusal(await byBearer(key));
    done(await server.patch(`/v1/devices/${device.id}`, { token: admin, body: { is_active: false } }));
    await expectRefusal(await byBearer(device.key));
  });

  test("before it looks at the body", async () => {
    for (const raw of ["{broken", "x".repeat(3_000_000)])
      await expectRefusal(await server.post(PATH, { raw, token: "flt_unknown" }));
  });
});

describe("a token of a tracker", () => {
  test("is taken nowhere else", async () => {
    const { token, deviceId, id } = await newTracker(server, "generic");
    const requests: [string, string][] = [
      ["GET", "/v1/gps"],
      ["POST", "/v1/gps"],
      ["POST", "/v1/gps/batch"],
      ["GET", "/v1/devices"],
      ["GET", `/v1/devices/${deviceId}`],
      ["GET", `/v1/devices/${deviceId}/trackers/${id}`],
      ["GET", "/v1/users/me"],
      ["POST", "/v1/auth/logout"],
    ];
    for (const [method, path] of requests) {
      const answer = await server.request(method, path, {
        token,
        ...(method === "POST" && { body: {} }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      const inBasic = await server.request(method, path, {
        headers: { authorization: basic(token) },
        ...(method === "POST" && { body: {} }),
      });
      expect([method, path, inBasic.status]).toEqual([method, path, 401]);
    }
    const upgrade = await fetch(`${server.url}/v1/ws?token=${token}`, {
      headers: { upgrade: "websocket", connection: "Upgrade" },
    });
    expect(upgrade.status).toBe(401);
  });

  test("ends at once when the tracker is switched off, and works again when it is switched on", async () => {
    const tracker = await newTracker(server, "owntracks");
    await expectHeard(tracker);
    const path = `/v1/devices/${tracker.deviceId}/trackers/${tracker.id}`;
    done(await server.patch(path, { token: admin, body: { is_active: false } }));
    await expectSilent(tracker);
    done(await server.patch(path, { token: admin, body: { is_active: true } }));
    await expectHeard(tracker);
  });

  test("ends at once when the tracker is deleted", async () => {
    const tracker = await newTracker(server, "owntracks");
    await expectHeard(tracker);
    await server.delete(`/v1/devices/${tracker.deviceId}/trackers/${tracker.id}`, { token: admin });
    await expectSilent(tracker);
  });

  test("ends at once with its device, and rests while that is not active", async () => {
    const tracker = await newTracker(server, "owntracks");
    await expectHeard(tracker);
    const path = `/v1/devices/${tracker.deviceId}`;
    done(await server.patch(path, { token: admin, body: { is_active: false } }));
    await expectSilent(tracker);
    done(await server.patch(path, { token: admin, body: { is_active: true } }));
    await expectHeard(tracker);
    expect((await server.delete(path, { token: admin })).status).toBe(204);
    await expectSilent(tracker);
  });

  test("ends when its time has come", async () => {
    const expires_at = new Date(server.time + 60_000).toISOString();
    const tracker = await newTracker(server, "owntracks", { expires_at });
    await expectHeard(tracker);
    await server.advance(61_000);
    await expectSilent(tracker);
    const path = `/v1/devices/${tracker.deviceId}/trackers/${tracker.id}`;
    done(await server.patch(path, { token: admin, body: { expires_at: null } }));
    await expectHeard(tracker);
  });
});

describe("a tracker falls silent", () => {
  const makerOf = (...permissions: string[]) =>
    staff(server, "devices:write", "devices:read", ...permissions);

  test("when its maker loses gps:write, and is heard again with it", async () => {
    const role = await newRole(server, "gps:write");
    const maker = await makerOf();
    await assign(server, maker.id, role.id);
    const tracker = await newTracker(server, "owntracks", { token: maker.token });
    await expectHeard(tracker);
    done(await revoke(server, role.id, "gps:write"));
    await expectSilent(tracker);
    done(await grant(server, role.id, "gps:write"));
    await expectHeard(tracker);
  });

  test("when its maker is banned, until the ban ends", async () => {
    const maker = await makerOf("gps:write");
    const tracker = await newTracker(server, "owntracks", { token: maker.token });
    await expectHeard(tracker);
    const ban = { reason: "spam", duration_seconds: 3_600 };
    done(await server.post(`/v1/users/${maker.id}/ban`, { token: admin, body: ban }));
    await expectSilent(tracker);
    await server.advance(3_601_000);
    await expectHeard(tracker);
  });

  test("when its maker is deleted", async () => {
    const maker = await makerOf("gps:write");
    const tracker = await newTracker(server, "owntracks", { token: maker.token });
    await expectHeard(tracker);
    expect((await server.delete(`/v1/users/${maker.id}`, { token: admin })).status).toBeLessThan(300);
    await expectSilent(tracker);
  });

  test("when the system key that made it ends", async () => {
    const key = (await server.post("/v1/api-keys", { token: admin, body: { name: "k", scopes: [] } })).body;
    expect(key.id).toBeString();
    const tracker = await newTracker(server, "owntracks", { token: server.systemKey });
    await expectHeard(tracker);
    const { body } = await server.get("/v1/api-keys", { token: admin });
    const system = body.data.find((each: { is_system: boolean }) => each.is_system);
    done(await server.patch(`/v1/api-keys/${system.id}`, { token: admin, body: { is_active: false } }));
    await expectSilent(tracker);
    done(await server.patch(`/v1/api-keys/${system.id}`, { token: admin, body: { is_active: true } }));
    await expectHeard(tracker);
  });

  test("not when a colleague, or the key by which a user made it, ends", async () => {
    const { id, key } = await server.createKey("devices:write", "gps:write");
    const tracker = await newTracker(server, "owntracks", { token: key });
    await server.delete(`/v1/api-keys/${id}`, { token: admin });
    const other = await newUser(server);
    done(await server.post(`/v1/users/${other.id}/ban`, { token: admin, body: { reason: "spam" } }));
    await expectHeard(tracker);
  });
});

test("the time of the last use is kept to the minute", async () => {
  const tracker = await newTracker(server, "owntracks");
  expect((await readTracker(server, tracker)).last_used_at).toBeNull();
  await expectHeard(tracker);
  const first = (await readTracker(server, tracker)).last_used_at;
  expect(Math.abs(Date.parse(first) - server.time)).toBeLessThan(10_000);
  await server.advance(30_000);
  await expectHeard(tracker);
  expect((await readTracker(server, tracker)).last_used_at).toBe(first);
  await server.advance(31_000);
  await expectHeard(tracker);
  expect(Date.parse((await readTracker(server, tracker)).last_used_at)).toBeGreaterThan(
    Date.parse(first) + 60_000,
  );
});

test("no token reaches the log, whole, cut or escaped; the route's pattern and the tracker do", async () => {
  const logging = await TestServer.start({ settings: { "log.level": "info", "log.format": "json" } });
  const tracker = await newTracker(logging, "owntracks");
  const { token } = tracker;
  const part = token.slice(0, 20);
  const post = (path: string, headers: Record<string, string> = {}) =>
    logging.post(path, { headers, body: ownTracks(nextTime()) });
  await post(`${PATH}/${token}`);
  await post(`${PATH}/${token}/`);
  await post(`${PATH}/${token}x`);
  await post(`${PATH}/${part}`);
  await post(PATH, { authorization: basic(token) });
  await post(`/v1/ingest/dawarich/api/v1/overland/batches?api_key=${token}`);
  for (const path of [
    `/v1/ingest/nothing/${part}`,
    `/v1/ingest/owntracks/${token}/more`,
    `/v1/%69ngest/owntracks/${part}`,
    `/v1/ingest/owntracks/${part.replace("f", "%66")}`,
  ])
    await rawRequest(logging, { method: "POST", path });
  expect((await logging.get(`${PATH}/${token}`)).status).toBe(405);
  const path = `/v1/devices/${tracker.deviceId}/trackers/${tracker.id}`;
  done(await logging.patch(path, { token: await logging.admin(), body: { is_active: false } }));
  await post(`${PATH}/${token}`);
  // The line of a request is written after its answer.
  await logging.get("/health");
  const output = await outputOfWholeRun(logging);
  expect(output.includes('"path":"/v1/ingest/owntracks/:token"')).toBe(true);
  expect(output.includes('"path":"/v1/ingest/…"')).toBe(true);
  expect(output.includes(token.slice(4, 16))).toBe(false);
  expect(output.includes(`"credential":"tracker","credential_id":"${tracker.id}"`)).toBe(true);
});

test.each(DOORS)("$path asks for a credential in the document too", async ({ path }) => {
  const { document } = await server.contract();
  const names = (template: string) =>
    document.paths[template]?.post?.security.map((each) => Object.keys(each)[0] ?? "");
  const keys = path.includes("dawarich") ? ["trackerKey"] : [];
  expect(names(path)).toEqual(["bearer", "trackerPassword", ...keys]);
  expect(names(`${path}/{token}`)).toEqual(["bearer", "trackerPassword", ...keys]);
});
