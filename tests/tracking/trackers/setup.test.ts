import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TRACKER_FORMATS } from "../../../src/tracking/trackers/formats";
import { labelOf, setupOf } from "../../../src/tracking/trackers/setup";
import { done } from "../../support/expectations";
import { linesOf } from "../../support/log";
import { newUser, staff } from "../../support/people";
import { TestServer } from "../../support/server";
import { BASE, newDevice, newTracker, positionsOf } from "../doors/support";

/** The values with which each app is set up, and the steps in words. */

const token = `flt_${"aB3_-".repeat(8)}xyz`;
const known = { base: BASE, token, deviceName: "Große Möwe", encryptionKey: null };
const encoded = encodeURIComponent;

describe("the values for", () => {
  test("OwnTracks are a configuration in base64, percent-encoded", () => {
    const setup = setupOf("owntracks", { ...known, encryptionKey: "a secret" });
    expect(setup).toMatchObject({
      url: `${BASE}/v1/ingest/owntracks`,
      username: "fairlead",
      password: token,
    });
    const inline = /^owntracks:\/\/\/config\?inline=([\w%]+)$/.exec(setup.setup_link ?? "")?.[1] ?? "";
    expect(JSON.parse(Buffer.from(decodeURIComponent(inline), "base64").toString())).toEqual({
      _type: "configuration",
      mode: 3,
      url: `${BASE}/v1/ingest/owntracks`,
      username: "fairlead",
      password: token,
      auth: true,
      usePassword: true,
      deviceId: "grosse-mowe",
      tid: "gm",
      monitoring: 2,
      extendedData: true,
      encryptionKey: "a secret",
    });
  });

  test("Traccar Client have the token in the path, and a link of its own scheme", () => {
    const url = `${BASE}/v1/ingest/osmand/${token}`;
    expect(setupOf("traccar_client", known)).toEqual({
      url,
      username: null,
      password: null,
      setup_link: `org.traccar.client://config?url=${encoded(url)}&id=grosse-mowe&accuracy=highest&distance=25&interval=30&angle=15&heartbeat=300&buffer=true&stop_detection=false`,
    });
  });

  test("OsmAnd are its placeholders behind the token", () => {
    expect(setupOf("osmand", { ...known, base: "https://o'neill.example" })).toEqual({
      url: `https://o%27neill.example/v1/ingest/osmand/${token}?lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}&batt={11}`,
      username: null,
      password: null,
      setup_link: null,
    });
  });

  test("Overland are address and token, and a link", () => {
    const url = `${BASE}/v1/ingest/overland`;
    expect(setupOf("overland", known)).toEqual({
      url,
      username: null,
      password: null,
      setup_link: `overland://setup?url=${encoded(url)}&token=${token}&device_id=grosse-mowe&unique_id=yes`,
    });
  });

  test("GPSLogger are its placeholders, and a password", () => {
    expect(setupOf("gpslogger", known)).toEqual({
      url: `${BASE}/v1/ingest/gpslogger?lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&altitude=%ALT&heading=%DIR&speed_mps=%SPD&hdop=%HDOP&vdop=%VDOP&pdop=%PDOP&accuracy=%ACC&battery=%BATT`,
      username: "fairlead",
      password: token,
      setup_link: null,
    });
  });

  test.each([
    ["traccar_server", "traccar"],
    ["generic", "generic"],
  ] as const)("%s are an address", (format, door) => {
    expect(setupOf(format, known)).toEqual({
      url: `${BASE}/v1/ingest/${door}`,
      username: null,
      password: null,
      setup_link: null,
    });
  });

  test("labels are ASCII, short and never empty", () => {
    const labels = ["Greif", "  Große   Möwe ", "漁船", "---", "x".repeat(99)].map(labelOf);
    expect(labels).toEqual(["greif", "grosse-mowe", "device", "device", "x".repeat(40)]);
  });
});

describe("the answer", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const instructionsFor = async (
    format: string,
    headers: Record<string, string> = {},
    fields: object = {},
  ) => {
    const device = await newDevice(server);
    const { data } = done(
      await server.post(`/v1/devices/${device}/trackers`, {
        token: server.systemKey,
        headers,
        body: { name: "phone", format, base_url: BASE, ...fields },
      }),
    );
    return data.instructions as string[];
  };

  test.each([...TRACKER_FORMATS])("has instructions for %s in English and German", async (format) => {
    const english = await instructionsFor(format);
    const german = await instructionsFor(format, { "accept-language": "de-AT, en;q=0.5" });
    expect(english.length).toBeGreaterThan(3);
    expect(german).toHaveLength(english.length);
    expect(english.at(-1)).toContain("shown only now");
    expect(german.at(-1)).toContain("nur jetzt gezeigt");
    for (const step of [...english, ...german]) expect(step).not.toMatch(/undefined|null|\[object/);
  });

  test("speaks the user's own language before that of the request", async () => {
    const user = await staff(server, "devices:write", "gps:write");
    done(await server.patch(`/v1/users/${user.id}/locale`, { token: user.token, body: { locale: "de" } }));
    const { answer } = await newTracker(server, "generic", {
      token: user.token,
      deviceId: await newDevice(server),
    });
    expect(answer.instructions.at(-1)).toContain("nur jetzt gezeigt");
    await newUser(server);
  });

  test("warns of an address that begins with http and is not of the local network", async () => {
    const isWarned = async (base_url: string) =>
      (await instructionsFor("generic", {}, { base_url })).some((step) => step.startsWith("Warning"));
    for (const base_url of ["http://boat.example.org", "http://8.8.8.8:3000", "http://[2001:4860::1]"])
      expect([base_url, await isWarned(base_url)]).toEqual([base_url, true]);
    for (const base_url of [
      "https://boat.example.org",
      "https://8.8.8.8",
      "http://192.168.1.5",
      "http://10.0.0.5:3000",
      "http://100.64.1.1",
      "http://[fd00::1]",
      "http://boat.local:3000",
      "http://boat",
      "http://boat.lan",
    ])
      expect([base_url, await isWarned(base_url)]).toEqual([base_url, false]);
    await linesOf(server, "a tracker sends its token in clear text through the internet");
    expect(server.output).not.toMatch(/flt_[\w-]{20}/);
  });

  test("has a QR code of the link, or of the address", async () => {
    const { create } = await import("qrcode");
    const { pixelsOf } = await import("../../identity/two-factor/support");
    for (const format of ["owntracks", "traccar_client", "osmand", "generic"]) {
      const { answer } = await newTracker(server, format);
      const { size, data } = create(answer.setup_link ?? answer.url, { errorCorrectionLevel: "M" }).modules;
      const pixels = pixelsOf(answer.qr_code);
      const scale = pixels.length / (size + 8);
      expect(scale).toBeGreaterThanOrEqual(4);
      for (let y = 0; y < size; y++)
        for (let x = 0; x < size; x++)
          if (
            pixels[Math.floor((y + 4.5) * scale)]?.[Math.floor((x + 4.5) * scale)] !==
            (data[y * size + x] === 1)
          )
            throw new Error(`${format}: dot ${x}, ${y} is wrong`);
    }
  });

  test("of GPSLogger and OsmAnd is an address that stores a position once its placeholders are filled in", async () => {
    for (const [format, values] of [
      ["osmand", { "{0}": "54.1", "{1}": "13.2", "{2}": String(Date.now() - 5_000), "{5}": "10" }],
      [
        "gpslogger",
        {
          "%LAT": "54.1",
          "%LON": "13.2",
          "%TIMESTAMP": String(Math.floor(Date.now() / 1000) - 5),
          "%SPD": "10",
        },
      ],
    ] as const) {
      const tracker = await newTracker(server, format);
      let { url } = tracker.answer;
      // %SPD before %SPEED-like names, and the rest as apps leave it: 0.0, or empty.
      for (const [placeholder, value] of Object.entries(values)) url = url.replace(placeholder, value);
      url = url.replaceAll(/\{\d+\}|%(?:ALT|DIR|ACC|BATT)/g, "0.0").replaceAll(/%[HVP]DOP/g, "");
      const { username, password } = tracker.answer;
      const headers: Record<string, string> = username
        ? { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` }
        : {};
      const answer = await server.get(url.replace(BASE, ""), { headers });
      expect([format, answer.status]).toEqual([format, 200]);
      const [position] = await positionsOf(server, tracker.deviceId);
      expect(position).toMatchObject({ latitude: 54.1, longitude: 13.2, speed_mps: 10 });
    }
  });
});
