import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { answering, PegelonlineStandIn, station } from "../../stand-ins/pegelonline";
import { SmtpStandIn } from "../../stand-ins/smtp";
import { done, eventually } from "../../support/expectations";
import { rows, write } from "../../support/rows";
import { ADMIN, TestServer, temporaryDirectory } from "../../support/server";
import { HOUR } from "../../support/time";
import { alertsOf, brief, newRule } from "../support";

/** Rules on water levels and on the installation itself. Both are looked at as a server starts. */

const pegel = await PegelonlineStandIn.start();
afterAll(() => pegel.stop());

/** Measures are looked at every ten seconds. */
const MEASURED = 10_000;

const STATION = station({ longname: "VITTE" });
const level = (value: number) => [{ ...STATION, timeseries: station({}, { current: { value } }).timeseries }];

const told = async (server: TestServer) => (await alertsOf(server)).map(brief);

test("a water level is raised once, kept while the source fails, and cleared within bounds, by whichever server", async () => {
  pegel.stations = level(620);
  const settings = pegel.settings();
  let server = await TestServer.start({ settings });
  const { dataDir } = server;
  await newRule(server, { type: "water_level", station: STATION.uuid, above_cm: 600 });
  /** Expects alerts once another server has looked; `isNews` if they were others before. */
  const look = async (isNews: boolean, ...expected: string[]) => {
    await server.stop("SIGKILL");
    const asked = pegel.requests.length;
    server = await TestServer.start({ settings, dataDir });
    await pegel.questions(asked + 1);
    if (isNews) await eventually(async () => (await told(server)).join() === expected.join());
    else await Bun.sleep(300);
    expect(await told(server)).toEqual(expected);
  };
  await look(true, `open water_level ${STATION.uuid}`);
  const [alert] = await alertsOf(server);
  expect(alert).toMatchObject({ value: 620, message: "The water level at VITTE is 620 cm", device_id: null });
  pegel.answer(answering(500));
  await look(false, `open water_level ${STATION.uuid}`);
  pegel.answer();
  await look(false, `open water_level ${STATION.uuid}`);
  pegel.stations = level(600);
  await look(true, `cleared water_level ${STATION.uuid}`);
  pegel.stations = level(630);
  await look(true, `open water_level ${STATION.uuid} ×2`);
  pegel.stations = [];
  await look(false, `open water_level ${STATION.uuid} ×2`);
  await server.stop();
});

test("measures raise out of bounds, stay over a restart until they are known, and end with their source", async () => {
  const backups = join(temporaryDirectory(), "backups");
  mkdirSync(backups);
  const settings = {
    "position.source": "nmea",
    "position.url": "tcp://127.0.0.1:9",
    "vessels.source": "nmea",
    "vessels.url": "tcp://127.0.0.1:9",
    "backup.interval_hours": "1",
    "backup.dir": backups,
  };
  let server = await TestServer.start({ settings, clock: "movable" });
  for (const what of ["position_source", "vessel_source"])
    await newRule(server, { type: "system", what, above: 0 });
  // None of these may be raised.
  await newRule(server, { type: "system", what: "backup_age", above: 1 });
  await newRule(server, { type: "system", what: "email_queue", above: 0 });
  await newRule(server, { type: "system", what: "sync_backlog", below: 10 });
  await newRule(server, { type: "system", what: "position_source", below: 1e6 });
  await newRule(server, { type: "system", what: "disk_free", above: 1e12 });
  const { dataDir } = server;
  await server.stop();
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  const open = ["open system position_source", "open system vessel_source"];
  await eventually(async () => {
    await server.runJobs(MEASURED);
    return (await alertsOf(server)).length === 2;
  });
  await server.runJobs(MEASURED);
  expect((await told(server)).toSorted()).toEqual(open);
  // A server that has just begun to listen doesn't know that it is over.
  write(server, `UPDATE alert_rules SET condition = replace(condition, '"above":0', '"above":3600')`);
  await server.stop("SIGKILL");
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  await server.runJobs(MEASURED);
  expect((await told(server)).toSorted()).toEqual(open);
  await server.stop();
  server = await TestServer.start({ dataDir, clock: "movable" });
  const over = ["cleared system position_source", "cleared system vessel_source"];
  await eventually(async () => {
    await server.runJobs(MEASURED);
    return (await told(server)).toSorted().join() === over.join();
  });
  await server.stop();
});

test("an old backup and emails that don't leave are raised, and cleared as there is a new one and they have left", async () => {
  const backups = join(temporaryDirectory(), "backups");
  mkdirSync(backups);
  const mailbox = await SmtpStandIn.start();
  const settings = { ...mailbox.settings(), "backup.interval_hours": "1", "backup.dir": backups };
  let server = await TestServer.start({ settings, clock: "movable" });
  // Its name until it is whole ends otherwise.
  await eventually(() => readdirSync(backups).join().endsWith(".db"));
  const message = "{value} hours at {time}{device}{place}";
  await newRule(server, { type: "system", what: "backup_age", above: 2 }, { message });
  await newRule(server, { type: "system", what: "email_queue", above: 0 });
  expect(await told(server)).toEqual([]);

  // While the disk isn't there, no backup is made.
  renameSync(backups, `${backups}.away`);
  for (let attempt = 0; attempt < 2; attempt++) mailbox.refuseNext("MAIL", 451);
  const email = ADMIN.email;
  done(await server.post("/v1/auth/reset-password", { body: { email } }));
  await server.advance(3 * HOUR);
  await server.runJobs(MEASURED);
  const open = ["open system backup_age", "open system email_queue"];
  await eventually(async () => (await told(server)).toSorted().join() === open.join());
  const [age] = (await alertsOf(server)).filter(({ subject }) => subject === "backup_age");
  expect(age.value).toBeGreaterThanOrEqual(3);
  expect(age.value).toBeLessThan(3.2);
  const raised = `${age.raised_at.slice(0, 16).replace("T", " ")} UTC`;
  expect(age.message).toBe(`${age.value} hours at ${raised}`);
  // One that the next server met would have it wait for minutes.
  await eventually(() => mailbox.refusalsLeft === 0);

  renameSync(`${backups}.away`, backups);
  const over = ["cleared system backup_age", "cleared system email_queue"];
  const { dataDir } = server;
  await server.stop();
  write(server, "UPDATE outbox SET next_attempt_at = 0");
  // Its clock is hours behind: the backup is young.
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  await eventually(async () => {
    await server.runJobs(MEASURED);
    return (await told(server)).toSorted().join() === over.join();
  });
  await server.stop();
  await mailbox.stop();
});

test("a backup that was never there is as old as the database, so that starts set nothing back", async () => {
  const backups = join(temporaryDirectory(), "unmounted");
  const settings = { "backup.interval_hours": "1", "backup.dir": backups };
  let server = await TestServer.start({ settings, clock: "movable" });
  const { dataDir } = server;
  await newRule(server, { type: "system", what: "backup_age", above: 24 });
  await eventually(async () => (await server.get("/health")).body.services.backup.status === "down");
  await server.runJobs(MEASURED);
  expect(await told(server)).toEqual([]);
  await server.stop();
  write(server, `UPDATE __migrations SET applied_at = applied_at - ${25 * HOUR}`);
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  await eventually(async () => {
    await server.runJobs(MEASURED);
    return (await told(server)).join() === "open system backup_age";
  });
  await server.stop();
});

test("a backup that can't be found is as old as the last that was made, and one that is there has its own age", async () => {
  const backups = join(temporaryDirectory(), "backups");
  mkdirSync(backups);
  const settings = { "backup.interval_hours": "1", "backup.dir": backups };
  const deep = { ...settings, "backup.verify": "deep" };
  let server = await TestServer.start({ settings, clock: "movable" });
  const { dataDir } = server;
  await newRule(server, { type: "system", what: "backup_age", above: 48 });
  await eventually(() => readdirSync(backups).join().endsWith(".db"));
  const made = () => rows(server, "SELECT value FROM __program WHERE name = 'backup_made'");
  await eventually(() => made().length === 1);
  await server.stop();
  // A try that could not be made fails the part backup in /health, and says nothing of the age.
  const [name] = readdirSync(backups);
  const untried = JSON.stringify({
    name,
    at: Date.now(),
    outcome: "untried",
    trouble: "no room",
    sound: null,
  });
  write(server, `UPDATE __migrations SET applied_at = applied_at - ${1_000 * HOUR}`);
  write(server, `INSERT OR REPLACE INTO __program VALUES ('backup_verified', '${untried}', 0)`);
  server = await TestServer.start({ settings: deep, dataDir, clock: "movable" });
  await server.runJobs(MEASURED);
  expect(await told(server)).toEqual([]);
  await server.stop();

  renameSync(backups, `${backups}.away`);
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  await eventually(async () => (await server.get("/health")).body.services.backup.status === "down");
  await server.runJobs(MEASURED);
  expect(await told(server)).toEqual([]);
  await server.stop();
  const before = new Date(Date.now() - 50 * HOUR).toISOString();
  write(server, `UPDATE __program SET value = '${before}' WHERE name = 'backup_made'`);
  server = await TestServer.start({ settings, dataDir, clock: "movable" });
  await eventually(async () => (await told(server)).join() === "open system backup_age");
  const [alert] = await alertsOf(server);
  expect(alert.value).toBeCloseTo(50, 0);
  await server.stop();
});
