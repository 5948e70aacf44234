import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { config, loadConfig } from "../../../src/configuration/config";
import { alike } from "../../../src/kernel/values/bilingual";
import {
  checkAccounts,
  checkBackups,
  checkConfiguration,
  checkEmail,
} from "../../../src/server/doctor/configuration";
import { checkDatabase } from "../../../src/server/doctor/database";
import type { Finding } from "../../../src/server/doctor/findings";
import {
  checkAddress,
  checkClock,
  checkDisk,
  checkGeoip,
  checkPermissions,
} from "../../../src/server/doctor/machine";
import { checkKey } from "../../../src/server/doctor/master-key";
import { checkOutside } from "../../../src/server/doctor/outside";
import { leaveCutShort } from "../../support/cut-short";
import { AS_NOBODY, canBeNobody, expectFailure, freePort, NOBODY } from "../../support/program";
import {
  command,
  environment,
  program,
  type Settings,
  TestServer,
  temporaryDirectory,
} from "../../support/server";
import { HOUR } from "../../support/time";

const NOW = Date.parse("2026-05-04T12:00:00Z");

const configure = (settings: Settings = {}) => loadConfig({ environment: environment(settings) });
const verdicts = (found: Finding[]) => found.map(({ verdict }) => verdict);

/** Every file below a directory with its content and mode. */
const stateOf = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { mode } = statSync(join(directory, name));
      const isFile = statSync(join(directory, name)).isFile();
      return [name, mode, isFile && readFileSync(join(directory, name), "base64")];
    });

describe("fairlead doctor", () => {
  test("finds nothing wrong with a server that runs, and changes nothing", async () => {
    const server = await TestServer.start();
    const before = stateOf(server.dataDir).filter(([name]) => !/-shm$/.test(String(name)));
    const { status, stdout, stderr } = await command(["doctor"], {
      settings: { "data.dir": server.dataDir, "server.port": new URL(server.url).port },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toMatch(/^problem/m);
    // No finding about the address: the running server holds it.
    expect(stdout).not.toMatch(/^\w+ +address /m);
    for (const line of stdout.trimEnd().split("\n")) expect(line).toMatch(/^(ok|warning) {2,}\S.*\S$/);
    for (const check of [
      "configuration",
      "data directory",
      "master key",
      "database",
      "disk",
      "clock",
      "open files",
    ])
      expect(stdout).toMatch(new RegExp(`^ok +${check} `, "m"));
    expect(stateOf(server.dataDir).filter(([name]) => !/-shm$/.test(String(name)))).toEqual(before);
    await server.stop();

    const stopped = stateOf(server.dataDir);
    loadConfig({ dataDir: server.dataDir, environment: {} });
    expect(verdicts(checkDatabase().findings)).toEqual(["ok"]);
    expect(stateOf(server.dataDir)).toEqual(stopped);
  });

  test("says so where it doesn't reach the server, and doesn't blame the configuration", async () => {
    const server = await TestServer.start();
    const { stdout } = await command(["doctor"], {
      settings: {
        ...{ "data.dir": server.dataDir, "server.port": String(freePort()) },
        ...{ "sync.url": "http://127.0.0.1:1", "sync.token": `flb_${"x".repeat(43)}` },
        ...{ "mqtt.url": "mqtt://127.0.0.1:1" },
      },
    });
    for (const check of ["shore", "MQTT broker"])
      expect(stdout).toMatch(
        new RegExp(
          `^warning +${check} +the server isn't reached at http://127\\.0\\.0\\.1:\\d+, .*--host and --port`,
          "m",
        ),
      );
    expect(stdout).not.toContain("restart the server");
    await server.stop();
  });

  test("finds nothing wrong with a directory that is not there yet, and makes none", async () => {
    const dataDir = join(temporaryDirectory(), "new");
    const settings = { "data.dir": dataDir, "server.port": String(freePort()) };
    const { status, stdout } = await command(["doctor", "--json"], { settings });
    const report = JSON.parse(stdout);
    expect({ status, problems: report.problems }).toEqual({ status: 0, problems: 0 });
    expect(report.warnings).toBe(
      report.findings.filter(({ verdict }: Finding) => verdict === "warning").length,
    );
    expect(readdirSync(join(dataDir, ".."))).toEqual([]);
  });

  test("ends with status 1 and one line when there is a problem, and with 2 for a wrong configuration", async () => {
    const settings = {
      "data.dir": temporaryDirectory(),
      "server.port": "0",
      "pegel.enabled": "true",
      "pegel.base_url": `http://user:secret@127.0.0.1:${freePort()}/path`,
    };
    const { status, stdout, stderr } = await command(["doctor"], { settings });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "fairlead: 1 problem found; see above for what to do\n",
    });
    expect(stdout).toMatch(
      /^problem +outside +http:\/\/127\.0\.0\.1:\d+ cannot be reached \(water levels\)/m,
    );
    expect(stdout).not.toContain("secret");
    expectFailure(await command(["doctor"], { settings: { "server.port": "x" } }), 2, "SERVER_PORT");
  });
});

describe("the configuration", () => {
  const found = (settings: Settings) => checkConfiguration(configure(settings));
  const message = (settings: Settings) => {
    const [finding, ...others] = found(settings);
    expect(others).toEqual([]);
    return `${finding?.verdict}: ${finding?.message.en}`;
  };

  test("is fine by default, and behind a proxy that is named", () => {
    expect(verdicts(found({}))).toEqual(["ok"]);
    const proxied = { "server.public_url": "https://fleet.example", "server.trusted_proxies": "127.0.0.1" };
    expect(verdicts(found(proxied))).toEqual(["ok"]);
  });

  test("draws attention where an allowed value is seldom meant", () => {
    expect(message({ "server.host": "0.0.0.0" })).toMatch(/^warning: server\.public_url/);
    expect(message({ "server.public_url": "http://fleet.example" })).toMatch(/^warning: .*clear text/);
    expect(message({ "server.public_url": "https://fleet.example" })).toMatch(/^warning: .*trusted_proxies/);
    expect(message({ "server.trusted_proxies": "10.0.0.1,::/0" })).toMatch(/^problem: .*::\/0/);
    expect(message({ "server.cors_origins": "*" })).toMatch(/^warning: server\.cors_origins/);
    expect(message({ "rate_limit.enabled": "false" })).toMatch(/^warning: rate_limit\.enabled/);
    const open = {
      "metrics.enabled": "true",
      "server.host": "10.1.2.3",
      "server.public_url": "https://a.example",
    };
    const named = { "server.trusted_proxies": "10.0.0.1" };
    expect(message({ ...open, ...named })).toMatch(/^warning: .*metrics\.token/);
    expect(verdicts(found({ ...open, ...named, "metrics.token": "t" }))).toEqual(["ok"]);
  });

  test("recommends a recent sign-in for what is sensitive, and to refuse common passwords, where either is off", () => {
    const found = (settings: Settings) =>
      checkAccounts(configure(settings)).map(({ verdict, message }) => `${verdict}: ${message.en}`);
    expect(found({})).toEqual([
      expect.stringMatching(/^warning: auth\.reauthentication_minutes is 0.* set it to 10/),
      expect.stringMatching(/^warning: security\.reject_common_passwords is false/),
    ]);
    const asked = { "auth.reauthentication_minutes": "10" };
    expect(found(asked)).toEqual([expect.stringContaining("reject_common_passwords")]);
    expect(found({ ...asked, "security.reject_common_passwords": "true" })).toEqual([
      expect.stringMatching(/^ok: /),
    ]);
  });

  test("sends emails into files that nobody gets only where users are on this machine", () => {
    expect(verdicts(checkEmail(configure(), 0))).toEqual(["ok"]);
    const elsewhere = { "server.public_url": "https://fleet.example" };
    expect(checkEmail(configure(elsewhere), 0)[0]?.message.en).toContain("email.transport");
    const smtp = { ...elsewhere, "email.transport": "smtp", "email.smtp_url": "smtp://mail.example" };
    expect(verdicts(checkEmail(configure(smtp), 0))).toEqual(["ok"]);
    expect(checkEmail(configure(smtp), 3)[0]?.message.en).toContain("3 emails");
  });

  test("has backups that are young, and on another disk", () => {
    const found = (newest: number | null, sameDisk: boolean | null, hours = "24") =>
      checkBackups(
        configure({ "backup.interval_hours": hours }),
        { newest, sameDisk, isServed: false },
        NOW,
      )[0];
    expect(found(null, true, "0")).toMatchObject({
      verdict: "warning",
      message: { en: expect.stringContaining("interval_hours") },
    });
    expect(found(NOW - 20 * HOUR, false)).toMatchObject({ verdict: "ok" });
    expect(found(NOW - 20 * HOUR, true)).toMatchObject({
      verdict: "warning",
      message: { en: expect.stringContaining("backup.dir") },
    });
    expect(found(NOW - 49 * HOUR, false)).toMatchObject({
      verdict: "problem",
      message: { en: expect.stringContaining("49 hours") },
    });
    expect(found(null, null)).toMatchObject({
      verdict: "problem",
      message: { en: expect.stringContaining("backup.dir") },
    });
  });
});

describe("the data directory", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(temporaryDirectory(), "data");
    expect((await command(["migrate", "--data-dir", dataDir])).status).toBe(0);
    writeFileSync(join(dataDir, "master.key"), `${Buffer.alloc(32, 7).toString("base64")}\n`, {
      mode: 0o600,
    });
  });

  /** A copy that a test may spoil, as the configured data directory. */
  function spoiled(spoil: (directory: string) => void): string {
    const directory = join(temporaryDirectory(), "data");
    cpSync(dataDir, directory, { recursive: true });
    chmodSync(directory, 0o700);
    spoil(directory);
    loadConfig({ dataDir: directory, environment: {} });
    return directory;
  }
  const change = (directory: string, ...statements: string[]) => {
    const database = new Database(join(directory, "fairlead.db"));
    database.run("PRAGMA foreign_keys = OFF");
    for (const statement of statements) database.run(statement);
    database.close();
  };

  test("is the operator's alone", () => {
    spoiled(() => {});
    expect(verdicts(checkPermissions())).toEqual(["ok"]);
    expect(verdicts(checkKey(null))).toEqual(["ok"]);
    expect(verdicts(checkDisk()).includes("problem")).toBe(false);
    const open = spoiled((directory) => {
      chmodSync(directory, 0o755);
      chmodSync(join(directory, "master.key"), 0o640);
    });
    const [directory, key] = checkPermissions();
    expect(directory).toMatchObject({
      verdict: "warning",
      message: { en: expect.stringContaining(`chmod 700 ${open}`) },
    });
    expect(key).toMatchObject({ verdict: "problem", message: { en: expect.stringContaining("chmod 600") } });
    for (const mode of [0o777, 0o770, 0o702]) {
      const writable = spoiled((directory) => chmodSync(directory, mode));
      expect(checkPermissions()).toMatchObject([
        { verdict: "problem", message: { en: expect.stringMatching(/write to .*replace/) } },
      ]);
      expect(checkPermissions()[0]?.message.en).toEndWith(`chmod 700 ${writable}`);
    }
  });

  test("holds a key that is one", () => {
    spoiled((directory) => writeFileSync(join(directory, "master.key"), "short"));
    expect(verdicts(checkKey(null))).toEqual(["problem"]);
    spoiled((directory) => rmSync(join(directory, "master.key")));
    expect(verdicts(checkKey(null))).toEqual(["warning"]);
  });

  test("holds a database that is sound, known and opened by the key", () => {
    const found = (...statements: string[]) => {
      spoiled((directory) => change(directory, ...statements));
      const { keys, findings } = checkDatabase();
      const [first] = [...findings, ...checkKey(keys)].filter(({ verdict }) => verdict !== "ok");
      return `${first?.verdict} ${first?.check} ${first?.message.en}`;
    };
    expect(found("SELECT 1")).toBe("undefined undefined undefined");
    expect(found("INSERT INTO __migrations VALUES ('9999_future', 'x', 0)")).toMatch(
      /^problem database .*newer/,
    );
    expect(found("INSERT INTO backup_codes VALUES ('nobody', 'x')")).toMatch(
      /^problem database .*backup_codes/,
    );
    expect(found("DROP TABLE __migrations")).toMatch(/^problem database .*not a Fairlead database/);
    const queued =
      "INSERT INTO outbox (id, lane, kind, urgency, status, message, next_attempt_at, attempts, created_at) VALUES ('1', 'email', 'x', 1, 'waiting', 'sealed', 1, 2, 1)";
    expect(found(queued)).toMatch(/^problem master key .*queued emails/);
    expect(checkDatabase().waitingEmails).toBe(1);
    spoiled((directory) => writeFileSync(join(directory, "fairlead.db"), "noise ".repeat(2_000)));
    expect(checkDatabase().findings).toMatchObject([
      { verdict: "problem", message: { en: expect.stringContaining("restore") } },
    ]);
  });

  test("holds a sound database although a change to it was cut short, which the next start undoes", async () => {
    const directory = spoiled((one) => {
      const whole = join(temporaryDirectory(), "whole.db");
      renameSync(join(one, "fairlead.db"), whole);
      leaveCutShort(whole, join(one, "fairlead.db"), "DELETE FROM __migrations");
    });
    const before = stateOf(directory);
    const [found] = checkDatabase().findings;
    expect(found?.message.en).toBe(
      "it cannot be read: fairlead.db-journal holds a change that was cut short; the next start undoes it",
    );
    expect(stateOf(directory)).toEqual(before);
    expect((await command(["migrate", "--data-dir", directory])).status).toBe(0);
    expect(verdicts(checkDatabase().findings)).toEqual(["ok"]);
  });

  test("holds a sound database although its key is broken, which is told once", () => {
    spoiled((directory) => writeFileSync(join(directory, "master.key"), "short"));
    expect(verdicts(checkDatabase().findings)).toEqual(["ok"]);
    expect(checkKey(null)).toMatchObject([
      { message: { en: expect.stringContaining("restore your copy of it") } },
    ]);
  });

  test.skipIf(!canBeNobody)(
    "is looked at by its owner: others are told so, and nothing that isn't so",
    () => {
      const findings = (directory: string) => {
        const { stdout } = Bun.spawnSync([...AS_NOBODY, ...program, "doctor", "--data-dir", directory], {
          cwd: "/",
          env: environment({}),
        });
        return stdout.toString();
      };
      const directory = spoiled((one) => chmodSync(dirname(one), 0o711));
      const closed = findings(directory);
      expect(closed).toMatch(/^problem +data directory .*run the doctor as the server's user/m);
      expect(closed).toMatch(/^problem +disk .*EACCES.*run the doctor as the server's user/m);
      expect(closed).not.toMatch(/^\w+ +(master key|database|address) /m);
      // The directory belongs to this user, the files in it don't.
      chownSync(directory, NOBODY, NOBODY);
      const foreign = findings(directory);
      expect(foreign).toMatch(/^problem +database .*fairlead\.db .*chown/m);
      expect(foreign).toMatch(/^problem +master key .*EACCES/m);
      expect(foreign).not.toContain("restore");
      // A chmod alone would close the key to this user.
      const key = join(directory, "master.key");
      chownSync(key, 0, NOBODY);
      chmodSync(key, 0o640);
      expect(findings(directory)).toContain(
        `other users can read ${key}; run chown ${NOBODY}:${NOBODY} ${key} && chmod 600 ${key}`,
      );
      // A directory that is still to be made needs an existing parent.
      expect(findings(join(temporaryDirectory(), "not", "yet"))).toMatch(
        /^problem +data directory .*does not exist.*run the doctor as the server's user/m,
      );
    },
  );

  test("tells when it was written last", () => {
    spoiled((directory) =>
      change(
        directory,
        "INSERT INTO audit_events (id, event_type, created_at, status, source_service) VALUES ('1', 'login', 5000, 'success', 'api')",
      ),
    );
    expect(checkDatabase().happened).toContainEqual({
      what: expect.objectContaining({ en: "newest audit event" }),
      time: 5_000,
    });
  });
});

describe("the clock", () => {
  const found = (time: number, newest: number | null = null, ...outside: number[]) => {
    const built = { what: alike("build"), time: Date.parse("2026-01-01") };
    const happened = newest === null ? [built] : [built, { what: alike("newest position"), time: newest }];
    return checkClock(time, happened, outside)[0]?.verdict;
  };

  test("is sane, not behind the database, and as outside", () => {
    expect(found(NOW)).toBe("ok");
    expect(found(Date.parse("1970-01-01T00:10:00Z"))).toBe("problem");
    expect(found(NOW, NOW + 2 * 60_000)).toBe("ok");
    expect(found(NOW, NOW + HOUR)).toBe("problem");
    expect(found(NOW, NOW - HOUR, NOW + 2_000, NOW - 2_000)).toBe("ok");
    expect(found(NOW, null, NOW + 120_000)).toBe("warning");
    expect(found(NOW, null, NOW - 2 * HOUR)).toBe("problem");
    // One of several outside clocks is wrong itself.
    expect(found(NOW, null, NOW, NOW + 1_000, NOW + 99 * HOUR)).toBe("ok");
  });
});

describe("the address", () => {
  const found = (settings: Settings) => {
    configure({ "data.dir": temporaryDirectory(), ...settings });
    return checkAddress();
  };

  test("can be listened on, and is let go at once", async () => {
    const port = String(freePort());
    for (let time = 0; time < 2; time++)
      expect(await found({ "server.port": port })).toMatchObject([{ check: "address", verdict: "ok" }]);
  });

  test("that is another program's, or another machine's, is a problem", async () => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    try {
      expect(await found({ "server.port": String(other.port) })).toMatchObject([
        { verdict: "problem", message: { en: expect.stringMatching(/in use; choose another server\.port/) } },
      ]);
    } finally {
      await other.stop(true);
    }
    expect(await found({ "server.host": "192.0.2.1" })).toMatchObject([
      { verdict: "problem", message: { en: expect.stringMatching(/set server\.host/) } },
    ]);
  });
});

describe("the GeoIP database", () => {
  test("that is no database is a problem", () => {
    const path = join(temporaryDirectory(), "city.mmdb");
    writeFileSync(path, "nothing");
    configure({ "geoip.database": path });
    expect(verdicts(checkGeoip(NOW))).toEqual(["problem"]);
    configure();
    expect(checkGeoip(NOW)).toEqual([]);
  });
});

describe("addresses outside", () => {
  const heard: string[] = [];
  const mailServer = createServer((socket) => {
    socket.on("data", (data) => heard.push(String(data)));
    socket.on("error", () => {});
  });
  let http: ReturnType<typeof Bun.serve>;
  let mail = 0;

  beforeAll(async () => {
    http = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        heard.push(`${request.method} ${request.url} ${JSON.stringify([...request.headers])}`);
        return new Response("no", { status: 404, headers: { date: new Date(NOW).toUTCString() } });
      },
    });
    await new Promise<void>((resolve) => mailServer.listen(0, "127.0.0.1", resolve));
    mail = (mailServer.address() as { port: number }).port;
  });
  afterAll(() => {
    http.stop(true);
    mailServer.close();
  });

  test("are none by default", async () => {
    configure();
    expect(await checkOutside()).toEqual([]);
  });

  test("are the receiver's too, but for a port on which datagrams come in", async () => {
    const url = `tcp://127.0.0.1:${mail}`;
    configure({ "position.source": "nmea", "position.url": url });
    expect((await checkOutside()).map(({ finding }) => finding.message.en)).toEqual([
      `${url} answers (own position)`,
    ]);
    configure({
      "position.source": "nmea",
      "position.url": "udp://0.0.0.0:10110",
      "position.allow_from": "192.0.2.7",
    });
    expect(await checkOutside()).toEqual([]);
  });

  test("are each asked once, without path and credentials, and tell the time", async () => {
    const base = http.url.origin.replace("//", "//name:secret@");
    configure({
      "pegel.enabled": "true",
      "pegel.base_url": `${base}/secret-path`,
      "integrations.twitch.client_id": "id",
      "integrations.twitch.client_secret": "secret",
      "integrations.twitch.token_url": `${base}/token`,
      "integrations.twitch.api_url": `${base}/api`,
      "email.transport": "smtp",
      "email.smtp_url": `smtp://user:secret@127.0.0.1:${mail}`,
      "vessels.source": "nmea",
      "vessels.url": `tcp://127.0.0.1:${freePort()}`,
    });
    const reached = await checkOutside();
    expect(reached.map(({ finding: { verdict, message } }) => [verdict, message.en])).toEqual([
      ["ok", `smtp://127.0.0.1:${mail} answers (email)`],
      ["ok", `${http.url.origin} answers (water levels, twitch)`],
      ["problem", expect.stringContaining(config["vessels.url"] ?? "")],
    ]);
    expect(reached.map(({ date }) => date)).toEqual([null, NOW, null]);
    expect(heard).toHaveLength(1);
    expect(heard.join()).not.toMatch(/secret|authorization/i);
  });
});
