import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestServer } from "../../support/server";
import { feature, newTracker, nextTime, ownTracks } from "./support";

/** The figures of the doors. */

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { "metrics.enabled": "true" } });
});
afterAll(() => server.stop());

const metrics = async () => await (await fetch(`${server.url}/metrics`)).text();

test("count positions by source and fate, and rejections by reason; no token is among them", async () => {
  const before = await metrics();
  expect(before).toContain('fairlead_ingest_rejected_total{reason="malformed"} 0\n');
  const tracker = await newTracker(server, "overland");
  const time = nextTime();
  const body = { locations: [feature(time), feature(time), feature(time + 1), feature(time + 10_000)] };
  await server.post(`/v1/ingest/overland/${tracker.token}`, { body });
  await server.post("/v1/ingest/owntracks", { token: tracker.token, body: ownTracks(time - 100) });
  await server.post("/v1/ingest/overland", { token: tracker.token, raw: "{" });
  const text = await metrics();
  for (const line of [
    'fairlead_ingest_positions_total{source="overland",status="stored"} 2',
    'fairlead_ingest_positions_total{source="overland",status="duplicate"} 1',
    'fairlead_ingest_positions_total{source="overland",status="rejected"} 2',
    'fairlead_ingest_positions_total{source="owntracks",status="stored"} 1',
    'fairlead_ingest_rejected_total{reason="in_the_future"} 1',
    'fairlead_ingest_rejected_total{reason="malformed"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  expect(text).toContain('route="/v1/ingest/overland/:token"');
  expect(text).not.toContain(tracker.token.slice(0, 12));
});
