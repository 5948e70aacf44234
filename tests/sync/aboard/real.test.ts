import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually, expectStatus } from "../../support/expectations";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";
import { MINUTE, SECOND } from "../../support/time";
import { fix } from "../../tracking/support";
import { type MadeBox, newBox, readBox } from "../support";
import { boatAt, catchUp, linkOf, post, raise, speedRule } from "./support";

/** Two real servers, one aboard and one ashore. */

let shore: TestServer;
let boat: TestServer;
let box: MadeBox;

beforeAll(async () => {
  shore = await TestServer.start();
  box = await newBox(shore);
  boat = await boatAt(shore, {
    "sync.token": box.token,
    // The doctor asks the server by its port.
    "server.port": String(freePort()),
  });
});
afterAll(async () => {
  await Promise.all([shore.stop(), boat.stop()]);
});

const ashore = async (path: string) =>
  expectStatus(await shore.get(path, { token: await shore.admin() }), 200).body.data;

test("what happens aboard is read ashore as the box's own", async () => {
  const { id, key } = await boat.device("Greif");
  await speedRule(boat);
  const positions = [await post(boat, key), await post(boat, key, { timestamp: 1_372_578_069 })];
  await raise(boat, key);
  await eventually(async () => (await ashore("/v1/alerts")).length === 1);
  await catchUp(boat);
  expect(await ashore(`/v1/devices/${id}`)).toMatchObject({ name: "Greif", box_id: box.id });
  const told = await ashore(`/v1/gps?device_id=${id}`);
  expect(told.map((point: { id: string }) => point.id)).toEqual(expect.arrayContaining(positions));
  expect(await ashore("/v1/alerts")).toMatchObject([{ box_id: box.id, device_id: id, condition: "speed" }]);
  const shown = await readBox(shore, box.id);
  expect(shown).toMatchObject({ backlog_estimate: expect.any(Number), error: null });
  expect(shown.last_contact_at).not.toBeNull();
});

test("zones of the shore go aboard, and are confirmed", async () => {
  const admin = async () => ({ token: await shore.admin() });
  const { latitude, longitude } = fix();
  const body = { name: "Harbour", latitude, longitude, radius_km: 1, box_ids: [box.id] };
  const { id } = expectStatus(await shore.post("/v1/geofences", { ...(await admin()), body }), 201).body.data;
  await boat.advance(15 * MINUTE);
  const zone = async () => boat.get(`/v1/geofences/${id}`, { token: await boat.admin() });
  await eventually(async () => (await zone()).status === 200);
  expect((await zone()).body.data).toMatchObject({ name: "Harbour", is_from_shore: true });
  await boat.advance(30 * SECOND);
  await eventually(async () => {
    const { assigned_version, applied_version } = await readBox(shore, box.id);
    return applied_version === assigned_version;
  });
  const refused = await boat.patch(`/v1/geofences/${id}`, {
    token: await boat.admin(),
    body: { name: "x" },
  });
  expect(refused).toMatchObject({ status: 409, body: { error: "OwnedByShore" } });
});

test("the link shows in health, in the metrics and to the doctor", async () => {
  await catchUp(boat);
  const link = await linkOf(boat);
  expect(link).toMatchObject({ status: "up", is_metered: false, waiting: 0, trouble: null });
  expect(link.lanes.map(({ lane }: { lane: string }) => lane)).toEqual([
    ...["alerts", "trips", "zones", "backlog", "history"],
  ]);
  const metrics = String((await boat.get("/metrics")).body);
  expect(metrics).toContain("fairlead_sync_up 1\n");
  for (const name of ["backlog_rows", "backlog_bytes", "backlog_age_seconds", "acknowledged"])
    expect(metrics).toMatch(new RegExp(`^fairlead_sync_${name}\\{lane="backlog"\\} \\d+$`, "m"));
  expect(metrics).toMatch(/^fairlead_sync_bytes_total \d{4,}$/m);
  const doctor = async () => {
    const answer = await boat.get("/v1/admin/doctor", { token: await boat.admin() });
    return expectStatus(answer, 200).body.data.findings.find(
      ({ check }: { check: string }) => check === "shore",
    );
  };
  expect(await doctor()).toMatchObject({
    verdict: "ok",
    message: expect.stringMatching(/^last contact at .*; nothing waits for it$/),
  });
});

test("a box that is deleted ashore is refused, and the doctor says so with all that waits", async () => {
  expectStatus(await shore.delete(`/v1/sync/boxes/${box.id}`, { token: await shore.admin() }), 204);
  const { key } = await boat.device("Later");
  await post(boat, key);
  await boat.advance(15 * MINUTE);
  await eventually(async () => (await linkOf(boat)).status === "down");
  await boat.advance(MINUTE);
  const answer = await boat.get("/v1/admin/doctor", { token: await boat.admin() });
  const finding = answer.body.data.findings.find(({ check }: { check: string }) => check === "shore");
  expect(finding.verdict).toBe("problem");
  expect(finding.message).toMatch(
    /^it refuses the token: .*; last contact at .*; these wait for it: devices, trips and log entries \(1 row, about 0\.0 MB.*\), positions \(1 row, about .*\)\. Check sync\.url/,
  );
});
