import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { start } from "../operations/support";
import { TestServer, temporaryDirectory } from "../support/server";
import { fix } from "./support";

const CRASHES = 4;
const CLIENTS = 6;
/** Points that are acknowledged before a crash; a few more each time, so that it hits different moments. */
const ANSWERS = 150;

/** Posts points until the server is gone, and notes those that it acknowledged and any other answer. */
async function post(url: string, key: string, acknowledged: string[], refused: number[]): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${url}/v1/gps`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(fix()),
      });
      const { data } = (await response.json()) as { data: { id: string } };
      if (response.status === 201) acknowledged.push(data.id);
      else refused.push(response.status);
    } catch {
      return;
    }
  }
}

function inspect(dataDir: string) {
  const database = new Database(join(dataDir, "fairlead.db"));
  const one = <T>(sql: string) => database.query<T, []>(sql).get() as T;
  const ids = database.query<{ id: string }, []>("SELECT id FROM gps_points").all();
  const found = {
    integrity: one<{ integrity_check: string }>("PRAGMA integrity_check").integrity_check,
    ids: new Set(ids.map(({ id }) => id)),
    counted: one<{ value: number }>("SELECT value FROM counters WHERE name = 'gps_points'").value,
    ofTrip: one<{ value: number }>("SELECT value FROM counters WHERE name LIKE 'trip_points %'").value,
    inTrip: one<{ n: number }>("SELECT COUNT(*) n FROM gps_points WHERE trip_id IS NOT NULL").n,
  };
  database.close();
  return found;
}

test("kill -9 under load loses no acknowledged point, again and again on one data directory", async () => {
  const first = await TestServer.start();
  const { dataDir } = first;
  const admin = await first.admin();
  const device = await first.device();
  const trip = await first.post("/v1/trips", {
    token: admin,
    body: { name: "t", device_id: device.id, gps_logging_enabled: true },
  });
  await first.patch(`/v1/trips/${trip.body.data.id}`, { token: admin, body: { status: "active" } });
  await first.stop("SIGKILL");

  const acknowledged: string[] = [];
  const refused: number[] = [];
  for (let crash = 1; crash <= CRASHES; crash++) {
    const server = await TestServer.start({ dataDir });
    const goal = acknowledged.length + ANSWERS + crash * 37;
    const clients = Array.from({ length: CLIENTS }, () =>
      post(server.url, device.key, acknowledged, refused),
    );
    while (acknowledged.length < goal) await Bun.sleep(1);
    await server.stop("SIGKILL");
    await Promise.all(clients);

    expect(refused).toEqual([]);
    const { integrity, ids, counted, ofTrip, inTrip } = inspect(dataDir);
    expect(integrity).toBe("ok");
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(counted).toBe(ids.size);
    expect([ofTrip, inTrip]).toEqual([ids.size, ids.size]);
  }

  const last = await TestServer.start({ dataDir });
  try {
    const { body } = await last.get("/v1/gps", { token: admin });
    expect(body.pagination.total).toBe(inspect(dataDir).ids.size);
  } finally {
    await last.stop();
  }
}, 60_000);

test("kill -9 during the first starts leaves a directory on which the next one succeeds", async () => {
  const dataDir = temporaryDirectory();
  for (const milliseconds of [70, 100, 130, 160, 190]) {
    const starting = start(["serve"], { "data.dir": dataDir, "server.port": "0" });
    await Bun.sleep(milliseconds);
    await starting.stop("SIGKILL");
  }
  const server = await TestServer.start({ dataDir });
  expect((await server.get("/health")).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
