import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, loadConfig } from "../../../src/configuration/config";
import { locate, openGeoip, reloadGeoip } from "../../../src/identity/audit/geoip";
import { log } from "../../../src/kernel/logs/log";
import { auditRows } from "../../support/events";
import { done, eventually } from "../../support/expectations";
import { outputOfWholeRun } from "../../support/log";
import { newUser, type User } from "../../support/people";
import { command, TestServer, temporaryDirectory } from "../../support/server";
import type { StoredEvent } from "../audit-log/support";
import { databaseOf } from "./mmdb";

/** The place of an event's address, from `geoip.database` (rule E3). ORIGIN.md describes the database. */
const DATABASE = join(import.meta.dir, "GeoLite2-City-Test.mmdb");
const CONTENT = readFileSync(DATABASE);

/** The database with a text in it replaced by another of the same length. */
function altered(text: string, by: string): Buffer {
  const content = CONTENT.toString("latin1");
  if (text.length !== by.length || !content.includes(text)) throw new Error(`${text} cannot be replaced`);
  return Buffer.from(content.replaceAll(text, by), "latin1");
}
/** Another issue of the database, in which London has another name. */
const NEWER = altered("London", "Lundun");
const NOT_OF_CITIES = altered("GeoLite2-City", "GeoLite2-Land");
/** Files that are no database. */
const GARBAGE: Record<string, Buffer> = {
  empty: Buffer.alloc(0),
  text: Buffer.from("not a database\n".repeat(500)),
  "cut off": CONTENT.subarray(0, CONTENT.length / 2),
  "not of cities": NOT_OF_CITIES,
};

const place = (
  country_code: string | null,
  country_name: string | null,
  city: string | null,
  region: string | null,
) => ({
  country_code,
  country_name,
  city,
  region,
});
type Place = ReturnType<typeof place>;
const NOWHERE = place(null, null, null, null);
const LONDON = place("GB", "United Kingdom", "London", "England");

/** Places of addresses, from the database's description. */
const PLACES: [address: string, place: Place][] = [
  ["81.2.69.160", LONDON],
  ["2.125.160.216", place("GB", "United Kingdom", "Boxford", "England")],
  ["89.160.20.128", place("SE", "Sweden", "Linköping", "Östergötland County")],
  ["216.160.83.56", place("US", "United States", "Milton", "Washington")],
  ["175.16.199.1", place("CN", "China", "Changchun", "Jilin Sheng")],
  ["2001:480:10::1", place("US", "United States", "San Diego", "California")],
  ["67.43.156.1", place("BT", "Bhutan", null, null)],
  ["2a02:d500::1", NOWHERE],
  ["1.1.1.1", NOWHERE],
];

/** Addresses that have no place, whatever a database says. */
const PRIVATE = [
  ...["10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "127.0.0.1", "169.254.1.1", "100.64.0.1"],
  ...[
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
  ],
  ...["::ffff:10.0.0.1", "::ffff:127.0.0.1"],
];

const placeOf = ({ country_code, country_name, city, region }: Place): Place =>
  place(country_code, country_name, city, region);

describe("a server with a database", () => {
  /** Three servers, each with its own copy: it stays, is replaced by a newer one, and by garbage. */
  let server: TestServer;
  let renewed: TestServer;
  let spoilt: TestServer;
  let user: User;
  let beforeRenewal: StoredEvent;
  beforeAll(async () => {
    const start = (path: string) =>
      TestServer.start({
        clock: "movable",
        settings: {
          "geoip.database": path,
          "server.trusted_proxies": "127.0.0.0/8",
          "log.format": "json",
          "log.level": "info",
        },
      });
    const [first, second] = [0, 1].map(() => join(temporaryDirectory(), "city.mmdb")) as [string, string];
    for (const path of [first, second]) copyFileSync(DATABASE, path);
    [server, renewed, spoilt] = await Promise.all([start(DATABASE), start(first), start(second)]);
    beforeRenewal = await written("81.2.69.160", renewed);
    writeFileSync(`${first}.new`, NEWER);
    renameSync(`${first}.new`, first);
    writeFileSync(second, GARBAGE.text as Buffer);
    user = await newUser(server);
  });
  afterAll(() => Promise.all([server, renewed, spoilt].map((each) => each.stop())));

  const written = async (ip_address: string | null, to = server): Promise<StoredEvent> =>
    done(
      await to.post("/v1/internal/audit", {
        token: to.systemKey,
        body: {
          ...{ user_id: null, event_type: "visit", resource_type: "place", source_service: "id" },
          ...{ status: "success", metadata: null, ip_address },
        },
      }),
    ).data;

  test("knows the place of an address that a service names", async () => {
    for (const [address, expected] of PLACES) {
      const event = await written(address);
      expect({ address, ...placeOf(event) }).toEqual({ address, ...expected });
      const found = await server.get(`/v1/admin/audit?event_type=visit&limit=1`, { token: server.systemKey });
      expect(done(found).events).toEqual([event]);
    }
    expect(placeOf(await written("::ffff:81.2.69.160"))).toEqual(LONDON);
    expect(placeOf(await written("2001:480:10:0:0:0:0:1"))).toMatchObject({ city: "San Diego" });
  });

  test("knows the place of a client behind a proxy", async () => {
    for (const [n, [address, expected]] of PLACES.entries()) {
      const headers = { "x-forwarded-for": address };
      const body = { locale: n % 2 === 0 ? "de" : "en" };
      done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body, headers }));
      const event = auditRows(server).at(-1) as unknown as StoredEvent;
      expect(event).toMatchObject({ event_type: "user_updated", ip_address: address, ...expected });
    }
    const headers = { "x-forwarded-for": "::ffff:81.2.69.160" };
    const body = { identifier: user.username, password: "wrong" };
    await server.post("/v1/auth/login", { body, headers });
    const failed = auditRows(server).at(-1);
    expect(failed).toMatchObject({ event_type: "login_failed", ip_address: "81.2.69.160", ...LONDON });
  });

  test("names no place for addresses that are nobody's on the internet, and none without an address", async () => {
    for (const address of PRIVATE)
      expect({ address, ...placeOf(await written(address)) }).toEqual({ address, ...NOWHERE });
    expect(placeOf(await written(null))).toEqual(NOWHERE);
    await server.post("/v1/auth/login", { body: { identifier: user.username, password: "wrong" } });
    expect(auditRows(server).at(-1)).toMatchObject({ ip_address: "127.0.0.1", ...NOWHERE });
  });

  test("keeps the places of events when the database says otherwise later, and uses the new one for others", async () => {
    expect(beforeRenewal.city).toBe("London");
    // It looks every ten seconds.
    await renewed.runJobs(10_000);
    await eventually(() => renewed.output.includes("the GeoIP database was read anew"));
    const after = await written("81.2.69.160", renewed);
    expect(after.city).toBe("Lundun");
    const list = await renewed.get("/v1/admin/audit?event_type=visit", { token: renewed.systemKey });
    expect(done(list).events).toEqual([after, beforeRenewal]);
  });

  test("uses the former database when garbage takes its place, and says so in the log", async () => {
    await spoilt.runJobs(10_000);
    await eventually(() =>
      spoilt.output.includes("the GeoIP database cannot be read; the former one stays in use"),
    );
    expect(placeOf(await written("81.2.69.160", spoilt))).toEqual(LONDON);
    const line = (await outputOfWholeRun(spoilt)).split("\n").find((each) => each.includes("GeoIP"));
    expect(JSON.parse(line as string)).toMatchObject({
      level: "warn",
      path: expect.stringMatching(/city\.mmdb$/),
    });
  });
});

test("a server without a database names no place", async () => {
  const server = await TestServer.start({ settings: { "server.trusted_proxies": "127.0.0.1" } });
  try {
    const headers = { "x-forwarded-for": "81.2.69.160" };
    await server.post("/v1/auth/login", { body: { identifier: "nobody", password: "wrong" }, headers });
    expect(auditRows(server).at(-1)).toMatchObject({ ip_address: "81.2.69.160", ...NOWHERE });
  } finally {
    await server.stop();
  }
});

describe("a start with a database that can't be used ends with status 2, one line and no data directory", () => {
  const refused = async (path: string, ...words: string[]) => {
    const dataDir = join(temporaryDirectory(), "data");
    const settings = { "geoip.database": path, "server.port": "0" };
    const { status, stdout, stderr } = await command(["serve", "--data-dir", dataDir], { settings });
    expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
    for (const word of ["geoip.database", path, ...words]) expect(stderr).toContain(word);
    expect(existsSync(dataDir)).toBe(false);
  };

  test("when there is none", () => refused(join(temporaryDirectory(), "none.mmdb"), "no such file"));
  test("when it is a directory", () => refused(temporaryDirectory()));
  for (const [what, content] of Object.entries(GARBAGE))
    test(`when it is ${what}`, () => {
      const path = join(temporaryDirectory(), "city.mmdb");
      writeFileSync(path, content);
      return refused(path, ...(what === "not of cities" ? ["not a City one"] : []));
    });
});

describe("the place of an address", () => {
  /** Opens a database that says this of every address. */
  function open(record: Parameters<typeof databaseOf>[0]): void {
    const path = join(temporaryDirectory(), "city.mmdb");
    writeFileSync(path, databaseOf(record));
    loadConfig({ environment: { FAIRLEAD_GEOIP_DATABASE: path }, dataDir: temporaryDirectory() });
    openGeoip();
  }
  const named = (en: string) => ({ names: { en } });
  const record = {
    city: named("Everywhere"),
    country: { iso_code: "GB", ...named("Everyland") },
    subdivisions: [named("North"), named("South")],
  };

  test("is never that of a private one, even if the database knows one", () => {
    open(record);
    for (const address of ["1.1.1.1", "81.2.69.160", "::ffff:81.2.69.160", "2001:480:10::1"])
      expect({ address, ...locate(address) }).toEqual({
        address,
        ...place("GB", "Everyland", "Everywhere", "North"),
      });
    for (const address of [...PRIVATE, "", "unknown", "nonsense", null, undefined])
      expect({ address, ...locate(address) }).toEqual({ address, ...NOWHERE });
  });

  test("is null in what the database leaves out or leaves empty; the country has a name of its own", () => {
    open({ country: { iso_code: "SE" } });
    expect(locate("1.1.1.1")).toEqual(place("SE", "Sweden", null, null));
    open({ city: {}, subdivisions: [], country: { iso_code: "QX" } });
    expect(locate("1.1.1.1")).toEqual(place("QX", null, null, null));
    open({ location: { accuracy_radius: 100 } });
    expect(locate("1.1.1.1")).toEqual(NOWHERE);
  });

  test("is read from flat records too", () => {
    open({ city: "Uppsala", country_code: "SE", state1: "Uppsala County", state2: "", postcode: "" });
    expect(locate("1.1.1.1")).toEqual(place("SE", "Sweden", "Uppsala", "Uppsala County"));
    open({ city: "", country_code: "", state1: "", state2: "" });
    expect(locate("1.1.1.1")).toEqual(NOWHERE);
  });
});

describe("the job", () => {
  let path: string;
  const warned = spyOn(log, "warn").mockImplementation(() => {});
  const told = spyOn(log, "info").mockImplementation(() => {});
  afterAll(() => [warned, told].map((spy) => spy.mockRestore()));
  beforeEach(() => {
    path = join(temporaryDirectory(), "city.mmdb");
    copyFileSync(DATABASE, path);
    loadConfig({ environment: { FAIRLEAD_GEOIP_DATABASE: path }, dataDir: temporaryDirectory() });
    openGeoip();
    warned.mockClear();
  });
  const city = () => locate("81.2.69.160").city;

  test("takes a file that was moved over the former, or written anew in its place", async () => {
    writeFileSync(`${path}.new`, NEWER);
    renameSync(`${path}.new`, path);
    expect(city()).toBe("London");
    await reloadGeoip();
    expect(city()).toBe("Lundun");
    writeFileSync(path, CONTENT);
    await reloadGeoip();
    expect(city()).toBe("London");
    expect(warned).not.toHaveBeenCalled();
  });

  test("leaves the former in use while the file is garbage or gone, warns, and takes the next that is right", async () => {
    for (const content of [...Object.values(GARBAGE), null]) {
      if (content === null) rmSync(path);
      else writeFileSync(path, content);
      await reloadGeoip();
      expect(city()).toBe("London");
      expect(warned).toHaveBeenCalledTimes(1);
      expect(warned.mock.lastCall?.[1]).toMatchObject({ path });
      writeFileSync(path, NEWER);
      await reloadGeoip();
      expect(city()).toBe("Lundun");
      expect(warned).toHaveBeenCalledTimes(1);
      writeFileSync(path, CONTENT);
      await reloadGeoip();
      warned.mockClear();
    }
  });

  test("warns once of one bad file, however often it runs", async () => {
    writeFileSync(path, GARBAGE.text as Buffer);
    for (let run = 0; run < 3; run++) await reloadGeoip();
    expect(warned).toHaveBeenCalledTimes(1);
    rmSync(path);
    for (let run = 0; run < 3; run++) await reloadGeoip();
    expect(warned).toHaveBeenCalledTimes(2);
  });

  test("names no place by a database that is damaged inside, until it is replaced", async () => {
    const damaged = Buffer.from(CONTENT);
    // Behind the search tree and before the metadata lie the records.
    damaged.fill(0xff, 10_255 + 16, damaged.lastIndexOf("MaxMind.com") - 3);
    writeFileSync(path, damaged);
    await reloadGeoip();
    expect(locate("81.2.69.160")).toEqual(NOWHERE);
    writeFileSync(path, CONTENT);
    await reloadGeoip();
    expect(city()).toBe("London");
  });

  test("does nothing without a configured database", async () => {
    loadConfig({ environment: {}, dataDir: temporaryDirectory() });
    openGeoip();
    await reloadGeoip();
    expect(locate("81.2.69.160")).toEqual(NOWHERE);
    expect(warned).not.toHaveBeenCalled();
  });

  test("never runs on a database that couldn't be opened at the start", () => {
    writeFileSync(path, NOT_OF_CITIES);
    expect(openGeoip).toThrow(ConfigError);
    expect(locate("81.2.69.160")).toEqual(NOWHERE);
  });
});
