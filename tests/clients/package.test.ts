import { describe, expect, expectTypeOf, test } from "bun:test";
import { join } from "node:path";
import { generate, PAGE_TARGET, TARGET, WANTED } from "../../clients/ts/generate";
import own from "../../clients/ts/package.json" with { type: "json" };
import type {
  AlertAcknowledged,
  AlertCleared,
  AlertRaised,
  AlertUpdated,
  Change,
  Channel,
  connect,
  GeofenceCorrection,
  GeofenceEvent,
  GpsLate,
  GpsUpdate,
  Message,
  TripUpdate,
  VesselsUpdate,
} from "../../clients/ts/src/index";
import manifest from "../../package.json" with { type: "json" };
import { CLIENT_MESSAGES, SERVER_MESSAGES } from "../../src/realtime/schema";

/** The client as a package: its types are the document's, and it is small. */

const SOURCE = join(import.meta.dir, "../../clients/ts/src/index.ts");

test("its types, and those of the page, are those of the document (else run: bun run generate:client)", async () => {
  const { client, page } = await generate();
  expect(await Bun.file(TARGET).text()).toBe(client);
  expect(await Bun.file(PAGE_TARGET).text()).toBe(page);
});

test("it depends on nothing, and has the version of the server", () => {
  expect(Object.keys(own).filter((field) => /dependencies/i.test(field))).toEqual([]);
  expect([own.version, own.license]).toEqual([manifest.version, manifest.license]);
});

test("it takes less than 4.3 kB of a page, compressed", async () => {
  const { outputs } = await Bun.build({ entrypoints: [SOURCE], minify: true, target: "browser" });
  const code = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? new ArrayBuffer(0));
  const size = Bun.gzipSync(code, { level: 9 }).length;
  expect(size).toBeGreaterThan(1_000);
  expect(size).toBeLessThan(4_300);
});

test("it knows every message of the socket", () => {
  const titles = Object.values({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES }).map(({ title }) => title);
  expect(titles.filter((title) => !WANTED.includes(String(title)))).toEqual([]);
  type Name = keyof typeof SERVER_MESSAGES;
  type Talk = "pong" | "message" | "reset" | "error";
  expectTypeOf<Message["type"] | Change["type"]>().toEqualTypeOf<Exclude<Name, Talk>>();
});

describe("a change", () => {
  test("has the type of its channel", () => {
    expectTypeOf<Change<"gps">>().toEqualTypeOf<GpsUpdate | GpsLate>();
    expectTypeOf<Change<`gps:${string}`>>().toEqualTypeOf<GpsUpdate | GpsLate>();
    expectTypeOf<Change<`geofence:${string}`>>().toEqualTypeOf<GeofenceEvent>();
    expectTypeOf<Change<"geofence">>().toEqualTypeOf<GeofenceEvent | GeofenceCorrection>();
    expectTypeOf<Change<"alerts">>().toEqualTypeOf<
      AlertRaised | AlertUpdated | AlertAcknowledged | AlertCleared
    >();
    expectTypeOf<Change<"vessels">>().toEqualTypeOf<VesselsUpdate>();
    expectTypeOf<VesselsUpdate["cursor"]>().toEqualTypeOf<undefined>();
    expectTypeOf<Change<"trips">>().toEqualTypeOf<TripUpdate>();
    expectTypeOf<GpsUpdate["cursor"]>().toEqualTypeOf<string>();
    expectTypeOf<"public">().not.toExtend<Channel>();
    expectTypeOf<typeof WebSocket>().toExtend<NonNullable<Parameters<typeof connect>[0]["WebSocket"]>>();
  });
});
