import { describe, expect, expectTypeOf, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { generate, PAGE_TARGET, TARGET } from "../../clients/ts/generate";
import own from "../../clients/ts/package.json" with { type: "json" };
import type {
  Change,
  Channel,
  connect,
  GeofenceEvent,
  GpsLate,
  GpsUpdate,
  TripUpdate,
} from "../../clients/ts/src/index";
import manifest from "../../package.json" with { type: "json" };

/** The client as a package: its types are the document's, and it is small. */

setDefaultTimeout(60_000);

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

test("it takes less than 4 kB of a page, compressed", async () => {
  const { outputs } = await Bun.build({ entrypoints: [SOURCE], minify: true, target: "browser" });
  const code = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? new ArrayBuffer(0));
  const size = Bun.gzipSync(code, { level: 9 }).length;
  expect(size).toBeGreaterThan(1_000);
  expect(size).toBeLessThan(4_000);
});

describe("a change", () => {
  test("has the type of its channel", () => {
    expectTypeOf<Change<"gps">>().toEqualTypeOf<GpsUpdate | GpsLate>();
    expectTypeOf<Change<`gps:${string}`>>().toEqualTypeOf<GpsUpdate | GpsLate>();
    expectTypeOf<Change<`geofence:${string}`>>().toEqualTypeOf<GeofenceEvent>();
    expectTypeOf<Change<"trips">>().toEqualTypeOf<TripUpdate>();
    expectTypeOf<GpsUpdate["cursor"]>().toEqualTypeOf<string>();
    expectTypeOf<"vessels">().not.toExtend<Channel>();
    expectTypeOf<typeof WebSocket>().toExtend<NonNullable<Parameters<typeof connect>[0]["WebSocket"]>>();
  });
});
