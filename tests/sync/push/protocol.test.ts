import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { eventually, expectRefused, expectStatus, statuses } from "../../support/expectations";
import { holdCommits, rows } from "../../support/rows";
import { TestServer, temporaryDirectory } from "../../support/server";
import { device, numberedPositions, position } from "../rows";
import { bodyOf, newUuid, Sender } from "../sender";
import { newBox, readBox, SHORE } from "../support";

/** The answers of the shore to pushes that come twice, late, torn, from two copies of a box, or after a restore. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.stop());

/** A box with a device that the shore has. */
async function newFleet(at = server) {
  const { id, token } = await newBox(at);
  const sender = new Sender(at, token);
  const greif = device(at.time);
  await sender.send({ trips: { records: [greif] }, alerts: [], backlog: [] });
  return { id, sender, deviceId: greif.id };
}
type Fleet = Awaited<ReturnType<typeof newFleet>>;

const positions = (deviceId: string, count: number) =>
  Array.from({ length: count }, (_, at) => position(deviceId, server.time - 1_000 * at));
const held = ({ deviceId }: Pick<Fleet, "deviceId">, at = server) =>
  rows<{ id: string }>(at, "SELECT id FROM gps_points WHERE device_id = ? ORDER BY id", deviceId).map(
    ({ id }) => id,
  );
const idsOf = (...all: { id: string }[][]) =>
  all
    .flat()
    .map(({ id }) => id)
    .sort();
const push = async (sender: Sender, batch: Parameters<Sender["deliver"]>[0]) =>
  expectStatus(await sender.post(bodyOf(batch)), 200).body;

describe("a batch", () => {
  test("that comes twice is stored once, and both answers move the box", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    const points = positions(fleet.deviceId, 3);
    const batch = sender.batch({ backlog: { positions: points } });
    const [first, second] = [await push(sender, batch), await push(sender, batch)];
    expect(first).toMatchObject({ acknowledged: { backlog: 3 }, hashes: {} });
    expect(second).toMatchObject({
      acknowledged: { backlog: 3 },
      hashes: { backlog: batch.sections[0]?.chunks[0]?.hash },
      overtaken_by: batch.sequence,
    });
    expect(held(fleet)).toEqual(idsOf(points));
  });

  test("that comes twice at once is stored once", async () => {
    const fleet = await newFleet();
    const points = positions(fleet.deviceId, 600);
    const body = bodyOf(fleet.sender.batch({ backlog: { positions: points } }));
    const answers = await Promise.all([1, 2, 3].map(() => fleet.sender.post(body)));
    expect(statuses(answers)).toEqual([200, 200, 200]);
    for (const { body } of answers) expect(body.acknowledged.backlog).toBe(600);
    expect(held(fleet)).toEqual(idsOf(points));
  });

  test("waits for another one of its box, and too many are told to wait", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    const release = holdCommits(server);
    const points = positions(fleet.deviceId, 6);
    const answers = points.map((point) =>
      sender.post(bodyOf(sender.batch({ backlog: { positions: [point] } }))),
    );
    const refused = await Promise.race(answers.slice(4));
    expectRefused(refused, 503, "ServiceUnavailable");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    release();
    const all = await Promise.all(answers);
    expect(statuses(all).filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(held(fleet)).toHaveLength(1);
  });

  test("that was overtaken stores nothing", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    const late = sender.batch({ backlog: { positions: positions(fleet.deviceId, 2) } });
    await sender.send({ alerts: [] });
    expect(await push(sender, late)).toMatchObject({
      acknowledged: { backlog: 0 },
      overtaken_by: sender.sequence,
    });
    expect(held(fleet)).toEqual([]);
  });

  test("that does not follow what is held stores nothing of that lane, and the rest", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    const first = positions(fleet.deviceId, 2);
    await sender.send({ backlog: { positions: first } });
    const place = sender.place("backlog");
    const greif = device(server.time);
    for (const wrong of [
      { ...place, number: 1 },
      { ...place, number: 7 },
      { ...place, hash: "ffffffffffff" },
    ]) {
      sender.places.set("backlog", wrong);
      const batch = sender.batch({
        backlog: { positions: positions(fleet.deviceId, 2) },
        trips: { records: [greif] },
      });
      const answer = await push(sender, batch);
      expect(answer.acknowledged.backlog).toBe(place.number);
      expect(answer.hashes).toEqual({ backlog: place.hash });
      sender.places.set("backlog", place);
      sender.settle(batch, { acknowledged: { trips: answer.acknowledged.trips } });
      expect(held(fleet)).toEqual(idsOf(first));
    }
    expect(rows(server, "SELECT id FROM devices WHERE id = ?", greif.id)).toHaveLength(1);
    const rest = positions(fleet.deviceId, 2);
    await sender.send({ backlog: { positions: rest } });
    expect(held(fleet)).toEqual(idsOf(first, rest));
  });

  test("of many rows is stored whole while others are served", async () => {
    const fleet = await newFleet();
    const points = numberedPositions(fleet.deviceId, 10_000, server.time);
    const stretches = Array.from({ length: 5 }, (_, at) => ({
      positions: points.slice(at * 2_000, (at + 1) * 2_000),
    }));
    const sending = fleet.sender.send({ backlog: stretches });
    let [done, asked] = [false, 0];
    sending.finally(() => {
      done = true;
    });
    while (!done) {
      expectStatus(await server.get("/health"), 200);
      asked++;
    }
    expect((await sending).acknowledged.backlog).toBe(10_000);
    expect(asked).toBeGreaterThan(3);
    expect(held(fleet)).toHaveLength(10_000);
  });

  test("of a box that is deleted meanwhile stores nothing more, and is 401", async () => {
    const fleet = await newFleet();
    const release = holdCommits(server);
    const sending = fleet.sender.post(
      bodyOf(fleet.sender.batch({ backlog: { positions: positions(fleet.deviceId, 1) } })),
    );
    const deleting = server.delete(`/v1/sync/boxes/${fleet.id}`, { token: await server.admin() });
    await Bun.sleep(0);
    release();
    expectStatus(await deleting, 204);
    expect([200, 401]).toContain((await sending).status);
    expectRefused(await fleet.sender.post(bodyOf(fleet.sender.batch({ alerts: [] }))), 401, "Unauthorized");
  });
});

describe("a token that somebody else had", () => {
  const rotate = async (id: string) => {
    const body = { base_url: SHORE };
    const answer = await server.post(`/v1/sync/boxes/${id}/rotate-token`, {
      token: await server.admin(),
      body,
    });
    return expectStatus(answer, 200).body.data.token as string;
  };

  test("leaves no numbers of requests behind that the box can't pass", async () => {
    const fleet = await newFleet();
    const { id, sender, deviceId } = fleet;
    const thief = new Sender(server, sender.token);
    thief.sequence = Number.MAX_SAFE_INTEGER - 1;
    await thief.send({ backlog: [] });
    sender.token = await rotate(id);
    const points = positions(deviceId, 3);
    expect(await sender.send({ backlog: { positions: points } })).toMatchObject({
      acknowledged: { backlog: 3 },
    });
    expect(held(fleet)).toEqual(idsOf(points));
  });

  test("stores nothing more, once it was replaced, of what was under way", async () => {
    const fleet = await newFleet();
    const { id, sender, deviceId } = fleet;
    const points = numberedPositions(deviceId, 20_000, server.time);
    const parts = Array.from({ length: 10 }, (_, at) => ({
      positions: points.slice(at * 2_000, (at + 1) * 2_000),
    }));
    const sending = sender.post(bodyOf(sender.batch({ backlog: parts })));
    await eventually(() => held(fleet).length > 0);
    await rotate(id);
    const stored = held(fleet);
    const { status } = await sending;
    expect(held(fleet)).toEqual(stored);
    expect(status).toBe(stored.length === points.length ? 200 : 401);
  });
});

describe("a box that is to send everything again", () => {
  const resync = async (id: string) =>
    expectStatus(await server.post(`/v1/sync/boxes/${id}/resync`, { token: await server.admin() }), 200).body
      .data;

  test("is told that nothing is known of its lanes, and none of its rows is stored twice", async () => {
    const fleet = await newFleet();
    const { id, sender, deviceId } = fleet;
    const points = positions(deviceId, 3);
    await sender.send({ backlog: { positions: points } });
    expect(await resync(id)).toMatchObject({ acknowledged: {}, refused_rows: 0 });
    const next = sender.batch({ backlog: { positions: positions(deviceId, 1) } });
    expect(await push(sender, next)).toMatchObject({ acknowledged: {}, unknown: ["backlog"] });
    const anew = new Sender(server, sender.token);
    anew.sequence = sender.sequence;
    await anew.send({ history: { positions: points } });
    expect(held(fleet)).toEqual(idsOf(points));
    expect((await readBox(server, id)).acknowledged).toEqual({ history: 3 });
  });

  test("is told so also where a push was being stored meanwhile", async () => {
    const fleet = await newFleet();
    const { id, sender, deviceId } = fleet;
    const points = numberedPositions(deviceId, 10_000, server.time);
    const parts = [0, 1, 2, 3, 4].map((at) => ({ positions: points.slice(at * 2_000, (at + 1) * 2_000) }));
    const sending = sender.deliver(sender.batch({ backlog: parts }));
    await eventually(() => held(fleet).length > 0);
    await resync(id);
    await sending;
    expect(await sender.send({ backlog: [] })).toMatchObject({ acknowledged: {}, unknown: ["backlog"] });
  });
});

describe("another epoch", () => {
  test("goes on from where its parent was held", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    const first = positions(fleet.deviceId, 3);
    await sender.send({ backlog: { positions: first } });
    sender.parent = sender.epoch;
    sender.epoch = "00112233445566aa";
    const place = sender.place("backlog");
    sender.places.set("backlog", { ...place, begins: true });
    const more = positions(fleet.deviceId, 2);
    expect((await sender.send({ backlog: { positions: more } })).acknowledged).toEqual({ backlog: 5 });
    expect(held(fleet)).toEqual(idsOf(first, more));
  });

  test("begins lower where its parent is not held as far", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    await sender.send({ backlog: { positions: positions(fleet.deviceId, 3) } });
    const { hash } = sender.place("backlog");
    sender.parent = sender.epoch;
    sender.epoch = "00112233445566bb";
    sender.places.set("backlog", { number: 9, hash: "aaaaaaaaaaaa", begins: true });
    const batch = sender.batch({ backlog: { positions: positions(fleet.deviceId, 2) } });
    expect(await push(sender, batch)).toMatchObject({
      acknowledged: { backlog: 3 },
      hashes: { backlog: hash },
    });
  });

  test("of an unknown parent, and one that says that it doesn't begin, can't go on", async () => {
    const { sender } = await newFleet();
    sender.places.set("backlog", { number: 9, hash: "aaaaaaaaaaaa", begins: true });
    sender.epoch = "00112233445566cc";
    sender.parent = "ffffffffffffffff";
    expect(await push(sender, sender.batch({ backlog: [] }))).toMatchObject({
      acknowledged: {},
      unknown: ["backlog"],
    });
    sender.epoch = "00112233445566dd";
    sender.parent = null;
    sender.places.set("backlog", { number: 9, hash: "aaaaaaaaaaaa", begins: false });
    expect(await push(sender, sender.batch({ backlog: [] }))).toMatchObject({
      acknowledged: {},
      unknown: ["backlog"],
    });
  });

  test("of a copied box is told from the other's by the hashes, and nothing is lost", async () => {
    const fleet = await newFleet();
    const { sender } = fleet;
    await sender.send({ backlog: { positions: positions(fleet.deviceId, 1) } });
    const copy = new Sender(server, sender.token);
    Object.assign(copy, { epoch: sender.epoch, sequence: sender.sequence });
    for (const [lane, place] of sender.places) copy.places.set(lane, place);
    const [one, two] = [positions(fleet.deviceId, 1), positions(fleet.deviceId, 1)];
    await sender.send({ backlog: { positions: one } });
    copy.sequence++;
    const { hash } = sender.place("backlog");
    const answer = await push(copy, copy.batch({ backlog: { positions: two } }));
    expect(answer).toMatchObject({ acknowledged: { backlog: 2 }, hashes: { backlog: hash } });
    // So it begins another epoch where it was.
    copy.parent = copy.epoch;
    copy.epoch = "00112233445566ee";
    copy.places.set("backlog", { ...copy.place("backlog"), begins: true });
    await copy.send({ backlog: { positions: two } });
    const last = positions(fleet.deviceId, 1);
    expect((await sender.send({ backlog: { positions: last } })).overtaken_by).toBe(copy.sequence);
    await sender.send({ backlog: { positions: last } });
    expect(held(fleet)).toHaveLength(4);
    for (const { id } of [...one, ...two]) expect(held(fleet)).toContain(id);
  });

  test("leaves room: a stranger with the token fills no disk with epochs", async () => {
    const { id, sender } = await newFleet();
    for (let at = 0; at < 12; at++) {
      sender.epoch = `00000000000000${at.toString().padStart(2, "0")}`;
      await push(sender, sender.batch({ backlog: [] }));
    }
    const kept = rows<{ epoch: string }>(
      server,
      "SELECT epoch FROM sync_epochs WHERE box_id = ? ORDER BY epoch",
      id,
    );
    expect(kept.map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: 8 }, (_, at) => `00000000000000${(at + 4).toString().padStart(2, "0")}`),
    );
  });
});

describe("the shore", () => {
  test("that is killed between two pushes has what it acknowledged, and no more than it got", async () => {
    const dataDir = temporaryDirectory();
    let shore = await TestServer.start();
    cpSync(shore.dataDir, dataDir, { recursive: true });
    await shore.stop();
    shore = await TestServer.start({ dataDir });
    const fleet = await newFleet(shore);
    const all: { id: string }[] = [];
    let { sender } = fleet;
    for (let round = 0; round < 4; round++) {
      const points = numberedPositions(fleet.deviceId, 3_000, Date.now() - round * 10_000_000);
      const stretches = Array.from({ length: 30 }, (_, at) => ({
        positions: points.slice(at * 100, (at + 1) * 100),
      }));
      const batch = sender.batch({ backlog: stretches });
      const sending = sender.post(bodyOf(batch)).catch(() => null);
      while (held(fleet, shore).length <= all.length + 50) await Bun.sleep(1);
      await shore.stop("SIGKILL");
      await sending;
      shore = await TestServer.start({ dataDir });
      const anew = new Sender(shore, sender.token);
      Object.assign(anew, { epoch: sender.epoch, sequence: sender.sequence });
      for (const [lane, place] of sender.places) anew.places.set(lane, place);
      sender = anew;
      const { acknowledged } = await push(sender, sender.batch({ backlog: [] }));
      sender.settle(batch, { acknowledged });
      const done = acknowledged.backlog - all.length;
      expect(done % 100).toBe(0);
      expect(done).toBeLessThanOrEqual(3_000);
      if (done < 3_000) await sender.send({ backlog: { positions: points.slice(done) } });
      all.push(...points);
      expect(held(fleet, shore)).toEqual(idsOf(all));
    }
    await shore.stop();
  });

  test("that was restored names the numbers that it has", async () => {
    const dataDir = temporaryDirectory();
    let shore = await TestServer.start();
    const fleet = await newFleet(shore);
    const [first, second] = [positions(fleet.deviceId, 2), positions(fleet.deviceId, 2)];
    await fleet.sender.send({ backlog: { positions: first } });
    const { number, hash } = fleet.sender.place("backlog");
    await shore.stop();
    cpSync(shore.dataDir, join(dataDir, "kept"), { recursive: true });
    shore = await TestServer.start({ dataDir: shore.dataDir });
    const sender = new Sender(shore, fleet.sender.token);
    Object.assign(sender, { epoch: fleet.sender.epoch, sequence: fleet.sender.sequence });
    for (const [lane, place] of fleet.sender.places) sender.places.set(lane, place);
    await sender.send({ backlog: { positions: second } });
    await shore.stop();
    shore = await TestServer.start({ dataDir: join(dataDir, "kept") });
    const restored = new Sender(shore, sender.token);
    Object.assign(restored, { epoch: sender.epoch, sequence: sender.sequence });
    restored.places.set("backlog", sender.place("backlog"));
    const batch = restored.batch({ backlog: { positions: positions(fleet.deviceId, 1) } });
    expect(await push(restored, batch)).toMatchObject({
      acknowledged: { backlog: number },
      hashes: { backlog: hash },
    });
    expect(held(fleet, shore)).toEqual(idsOf(first));
    restored.places.set("backlog", { number, hash, begins: false });
    await restored.send({ backlog: { positions: second } });
    expect(held(fleet, shore)).toEqual(idsOf(first, second));
    await shore.stop();
  });

  test("tells how far it holds each lane", async () => {
    const { id, sender } = await newFleet();
    await sender.send({ backlog: { positions: [position(null, server.time, { id: newUuid() })] } });
    expect((await readBox(server, id)).acknowledged).toEqual({ trips: 1, alerts: 0, backlog: 1 });
  });
});
