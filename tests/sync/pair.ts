import { Database } from "bun:sqlite";
import { join } from "node:path";
import { expectStatus } from "../support/expectations";
import { TestServer } from "../support/server";
import { type LineOptions, ThinLine } from "../support/thin-line";
import { createTrip, createZone, fix, moveTrip } from "../tracking/support";
import { seaTrack } from "./sea-track";
import { newBox } from "./support";

/** Two real servers, a boat and a shore, and the line between them. */

/** Rows by their identifiers that the two have to hold alike, as text. */
const COMPARED: Record<string, string> = {
  devices: "SELECT id, name, external_id, max_speed_kmh FROM devices",
  trips: "SELECT id, name, status, device_id, started_at, ended_at FROM trips",
  log_entries: "SELECT id, trip_id, number, hash FROM log_entries",
  alerts: "SELECT id, key, status, device_id, raised_at, cleared_at, count FROM alerts",
  geofence_events:
    "SELECT id, geofence_id, device_id, event, occurred_at, superseded_at FROM geofence_events WHERE event NOT IN ('begin', 'end')",
  gps_points:
    "SELECT id, device_id, trip_id, timestamp, created_at, latitude, longitude, speed_knots, heading, source, judgement FROM gps_points",
};

/** Rows that one side lacks, and rows of which it has too many or other ones. */
export interface Difference {
  rows: number;
  lost: number;
  doubled: number;
}

export class Pair {
  boat: TestServer;
  shore: TestServer;
  readonly line: ThinLine;
  readonly boxId: string;
  readonly #token: string;
  devices: { id: string; key: string }[] = [];
  #sailed = 0;
  readonly kills = { boat: 0, shore: 0 };

  private constructor(boat: TestServer, shore: TestServer, line: ThinLine, boxId: string, token: string) {
    this.boat = boat;
    this.shore = shore;
    this.line = line;
    this.boxId = boxId;
    this.#token = token;
  }

  static async start(options: LineOptions, devices = 3): Promise<Pair> {
    const shore = await TestServer.start({ clock: "movable" });
    const { id, token } = await newBox(shore);
    const line = await ThinLine.open(shore.url, options);
    const pair = new Pair(null as unknown as TestServer, shore, line, id, token);
    pair.boat = await pair.#startBoat();
    for (let at = 0; at < devices; at++) pair.devices.push(await pair.boat.device(`Boat ${at + 1}`));
    return pair;
  }

  #startBoat(dataDir?: string, ahead = 0): Promise<TestServer> {
    const settings = { "sync.url": this.line.url, "sync.token": this.#token };
    return TestServer.start({ clock: "movable", settings, ahead, ...(dataDir && { dataDir }) });
  }

  async stop(): Promise<void> {
    await this.boat.stop("SIGKILL");
    await this.line.close();
    await this.shore.stop("SIGKILL");
  }

  /** Kills one of the two, and starts it again. */
  async kill(which: "boat" | "shore"): Promise<void> {
    this.kills[which]++;
    const { dataDir, ahead } = this[which];
    await this[which].stop("SIGKILL");
    if (which === "boat") this.boat = await this.#startBoat(dataDir, ahead);
    else {
      this.shore = await TestServer.start({ clock: "movable", dataDir, ahead });
      this.line.leadTo(this.shore.url);
    }
  }

  /** Posts fixes of a device of the boat, by their times in Unix seconds: a boat that sails, with the noise of a receiver. */
  async sail(device: number, times: readonly number[]): Promise<void> {
    const { key } = this.devices[device] as { key: string };
    const track = seaTrack({ devices: 1, fixes: times.length, receiver: "nmea", seed: ++this.#sailed });
    for (let at = 0; at < times.length; at += 1_000) {
      const positions = times.slice(at, at + 1_000).map((timestamp, index) => {
        const { latitude, longitude, speed_mps, heading, hdop, altitude } = track[
          at + index
        ] as (typeof track)[0];
        return { timestamp, latitude, longitude, speed_mps, heading, hdop, altitude };
      });
      expectStatus(await this.boat.post("/v1/gps/batch", { token: key, body: { positions } }), 200);
    }
  }

  /** Lets a device of the boat raise an alert by a fast fix now; a slow one before clears what was. */
  async alarm(device: number): Promise<string> {
    const { id, key } = this.devices[device] as { id: string; key: string };
    const now = Math.floor(this.boat.time / 1_000);
    const body = fix({ timestamp: now, speed_knots: 40, speed_kmh: 74, speed_mps: 20.6, speed_mph: 46 });
    expectStatus(await this.boat.post("/v1/gps", { token: key, body }), 201);
    const newest = this.#read(this.boat, (database) =>
      database
        .query<{ id: string }, [string]>("SELECT id FROM alerts WHERE device_id = ? ORDER BY id DESC LIMIT 1")
        .get(id),
    );
    if (!newest) throw new Error("no alert was raised");
    return newest.id;
  }

  /** A rule aboard that alerts of each fast fix, and a zone around the places of these. */
  async watch(): Promise<void> {
    await createZone(this.boat, { name: "harbour" });
    const body = {
      ...{ name: "fast", severity: "alarm", condition: { type: "speed", above_knots: 30 } },
      ...{ target_ids: [], cooldown_seconds: 0 },
    };
    expectStatus(await this.boat.post("/v1/alert-rules", { token: await this.boat.admin(), body }), 201);
  }

  /** A trip of a device, with some words in its log. */
  async voyage(device: number, words: readonly string[]): Promise<void> {
    const { id } = this.devices[device] as { id: string };
    const trip = await createTrip(this.boat, { device_id: id, gps_logging_enabled: true });
    await moveTrip(this.boat, trip.id, "active");
    for (const text of words)
      await this.boat.post(`/v1/trips/${trip.id}/log`, { token: await this.boat.admin(), body: { text } });
  }

  #read<T>({ dataDir }: TestServer, read: (database: Database) => T): T {
    const database = new Database(join(dataDir, "fairlead.db"), { readonly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  }

  /** True once the shore has a row. */
  hasAshore(table: keyof typeof COMPARED, id: string): boolean {
    return (
      this.#read(this.shore, (database) => database.query(`SELECT 1 FROM ${table} WHERE id = ?`).get(id)) !==
      null
    );
  }

  count(which: "boat" | "shore", table: keyof typeof COMPARED): number {
    return this.#read(this[which], (database) => {
      const { n } = database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get() as {
        n: number;
      };
      return n;
    });
  }

  /** The rows of the boat that the shore lacks or has otherwise, and those ashore that the boat hasn't. */
  compare(): Record<string, Difference> {
    const [aboard, ashore] = [this.boat, this.shore].map((server) =>
      this.#read(server, (database) =>
        Object.fromEntries(
          Object.entries(COMPARED).map(([table, sql]) => [
            table,
            database
              .query<Record<string, unknown>, []>(sql)
              .all()
              .map((row) => JSON.stringify(row)),
          ]),
        ),
      ),
    ) as [Record<string, string[]>, Record<string, string[]>];
    return Object.fromEntries(
      Object.keys(COMPARED).map((table) => {
        const [own, theirs] = [new Set(aboard[table]), ashore[table] as string[]];
        const found = new Set(theirs);
        const lost = [...own].filter((row) => !found.has(row)).length;
        const doubled = theirs.length - found.size + [...found].filter((row) => !own.has(row)).length;
        return [table, { rows: own.size, lost, doubled }];
      }),
    );
  }

  /** Waits until nothing waits aboard; `meanwhile` runs between two looks. */
  async caughtUp(meanwhile: () => Promise<unknown> = () => Bun.sleep(100)): Promise<void> {
    for (;;) {
      const { body } = await this.boat.get("/health");
      const { waiting, trouble } = body.services.sync;
      if (waiting === 0 && trouble === null) return;
      await meanwhile();
    }
  }
}
