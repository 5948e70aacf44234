import { afterAll, beforeAll, expect, test } from "bun:test";
import { AisDecode } from "ggencoder";
import type { Vessel } from "../../../src/operations/vessels/store";
import { AisReceiver, recorded } from "../../stand-ins/ais-receiver";
import { TestServer } from "../../support/server";
import { Client } from "../../support/socket";
import { classA, sentence } from "./support";

/**
 * Recorded logs of real receivers, played through the server's TCP source, compared with ggencoder, a third
 * party's decoder. The content of the logs is also known from a third decoding (the counts below).
 */

type Told = Omit<Vessel, "ship_type_label" | "nav_status_label">;

const orNull = (value: number | undefined, isThere: (value: number) => boolean): number | null =>
  value !== undefined && isThere(value) ? value : null;

/** The vessels that a log tells of, by ggencoder: those with a position, and how many there are with a name. */
function vesselsBy(log: Buffer): { vessels: Map<number, Told>; named: number } {
  const known = new Map<number, Partial<Told>>();
  const sessions: Record<string, object> = {};
  for (const line of log.toString("latin1").split("\r\n")) {
    if (!line.startsWith("!AIVDM")) continue;
    const [, , , sequence, channel] = line.split(",");
    const key = `${sequence},${channel}`;
    sessions[key] ??= {};
    const decoded = new AisDecode(line, sessions[key]);
    const { aistype = 0, immsi } = decoded;
    if (![1, 2, 3, 5, 18, 19, 24].includes(aistype)) continue;
    const vessel = known.get(immsi) ?? {};
    known.set(immsi, vessel);
    if (aistype !== 5 && aistype !== 24) Object.assign(vessel, movementOf(decoded));
    const { shipname, cargo, length, width } = decoded;
    if (shipname !== undefined) vessel.name = shipname;
    if (cargo !== undefined) vessel.ship_type = orNull(cargo, (code) => code > 0 && code < 100);
    if (length !== undefined) vessel.length = orNull(length, (metres) => metres > 0);
    if (width !== undefined) vessel.beam = orNull(width, (metres) => metres > 0);
  }
  const nothing = { name: "", ship_type: null, nav_status: null, length: null, beam: null };
  const placed = [...known].filter(([, { lat }]) => lat !== undefined);
  return {
    vessels: new Map(placed.map(([mmsi, vessel]) => [mmsi, { mmsi, ...nothing, ...vessel } as Told])),
    named: [...known.values()].filter(({ name }) => name).length,
  };
}

function movementOf({ valid, lat, lon, sog, cog, hdg, navstatus }: AisDecode): Partial<Told> {
  return {
    ...(valid && { lat: Number(lat?.toFixed(6)), lng: Number(lon?.toFixed(6)) }),
    speed_kmh: sog > 102.2 ? 0 : Number((sog * 1.852).toFixed(4)),
    course: orNull(cog, (degrees) => degrees < 360),
    heading: orNull(hdg, (degrees) => degrees < 360),
    ...(navstatus !== undefined && { nav_status: orNull(navstatus, (code) => code < 15) }),
  };
}

const withoutLabels = ({ ship_type_label: _, nav_status_label: __, ...vessel }: Vessel): Told => vessel;

/** Lines, vessels with a position, and how many told a name. */
const LOGS = {
  "lauterbach-greifswald-2013-06-30": [6_814, 62, 49],
  // 134 with a position count the receiver's own ship, of which AIVDO alone tells.
  "harlingen-2014-04-16": [765, 133, 33],
} as const;

let receiver: AisReceiver;
let server: TestServer;
beforeAll(async () => {
  receiver = await AisReceiver.start();
  server = await TestServer.start({
    clock: "movable",
    settings: { "vessels.source": "nmea", "vessels.url": receiver.url },
  });
  await receiver.connected();
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
});

test("recorded logs tell of the vessels that another decoder finds in them, in every field", async () => {
  const expected = new Map<number, Told>();
  for (const [log, [lines, placed, named]] of Object.entries(LOGS)) {
    const bytes = recorded(log as keyof typeof LOGS);
    expect(bytes.toString("latin1").split("\r\n").length - 1).toBe(lines);
    const found = vesselsBy(bytes);
    expect([found.vessels.size, found.named]).toEqual([placed, named]);
    for (const [mmsi, vessel] of found.vessels) expected.set(mmsi, vessel);
    // Sent in pieces whose ends fall within lines.
    for (let at = 0; at < bytes.length; at += 7_919) receiver.write(bytes.subarray(at, at + 7_919));
  }
  // No vessel is in both logs.
  expect(expected.size).toBe(62 + 133);

  // A vessel of our own comes last.
  const last = 999_999_999;
  receiver.send("", sentence(classA(last)));
  const client = await Client.open(server, { bearer: server.systemKey });
  await client.subscribe("vessels");
  let vessels: Vessel[] = [];
  while (!vessels.some(({ mmsi }) => mmsi === last)) {
    vessels = (await client.next()).data.vessels;
    await server.advance(5_000);
  }
  await client.close();

  const told = new Map(vessels.map((vessel) => [vessel.mmsi, withoutLabels(vessel)]));
  told.delete(last);
  expect([...told.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [mmsi, vessel] of expected) expect(told.get(mmsi)).toEqual(vessel);
});
