import { describe, expect, test } from "bun:test";
import { checkAgreement } from "./agreement";
import { median, spread } from "./figures";
import { Latencies } from "./latencies";
import type { Compared } from "./scenarios";
import { growthOf, type SoakMinute, STEADY } from "./soak";

test("takes the middle of some numbers, and the mean of the middle two of an even number", () => {
  expect(median([9, 1, 4])).toBe(4);
  expect(median([9, 1, 4, 2])).toBe(3);
  expect(spread([0.7, 0.9, 0.8])).toEqual({ median: 0.8, min: 0.7, max: 0.9 });
});

test("tells the latency that a part of the requests stayed below, to 5 µs", () => {
  const latencies = new Latencies();
  for (let milliseconds = 1; milliseconds <= 100; milliseconds++) latencies.add(milliseconds);
  expect(latencies.quantile(0.5)).toBe(50);
  expect(latencies.quantile(0.99)).toBe(99);
});

/**
 * True if a server with this body may be compared with one that answers `{"at":1,"rows":[null]}` to a
 * `method`.
 */
async function agreesWith(method: "GET" | "POST", body: unknown, status = 200): Promise<boolean> {
  const fixture = {} as Parameters<Compared["requests"]>[0];
  const request = new TextEncoder().encode(
    `${method} / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
  );
  const scenario: Compared = {
    ...{ name: method, target: 1, status: 200, subscribers: 0 },
    requests: () => () => request,
  };
  const serve = (json: unknown, status: number) =>
    Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(json, { status }) });
  const servers = [serve(body, status), serve({ at: 1, rows: [null] }, 200)];
  const [fairlead, baseline] = servers.map((server) => ({ port: server.port ?? 0, pid: 0, fixture }));
  if (!fairlead || !baseline) throw new Error("no servers");
  const agrees = await checkAgreement(scenario, fairlead, baseline).then(
    () => true,
    () => false,
  );
  for (const server of servers) await server.stop(true);
  return agrees;
}

test("refuses to compare servers that answer differently", async () => {
  expect(await agreesWith("GET", { rows: [null], at: 1 })).toBe(true);
  expect(await agreesWith("GET", { at: 2, rows: [null] })).toBe(false);
  expect(await agreesWith("GET", { at: 1, rows: [null] }, 201)).toBe(false);
  // A write answers with identifiers and times of its own, but with the same fields.
  expect(await agreesWith("POST", { at: 2, rows: [null] })).toBe(true);
  expect(await agreesWith("POST", { at: 2, rows: [3] })).toBe(false);
  expect(await agreesWith("POST", { at: 2 })).toBe(false);
});

describe("the growth of memory", () => {
  /** The minutes of a soak with this resident memory. */
  const minutes = (count: number, resident: (minute: number) => number): SoakMinute[] =>
    Array.from({ length: count }, (_, at) => ({
      ...{ minute: at + 1, requestsPerSecond: 200, posted: 0, p99: 1 },
      ...{ resident: resident(at + 1), files: 0, heap: 0, objects: 0 },
    }));

  test("is that after the first hour, by the median slope, so that garbage of some minutes is none", () => {
    const levelsOff = (minute: number) => 100e6 + Math.min(minute, 50) * 1e6 + (minute % 5 === 0 ? 30e6 : 0);
    expect(growthOf(minutes(120, levelsOff))).toEqual({ since: 60, resident: 0, isMet: true });
    const leaks = growthOf(minutes(120, (minute) => 100e6 + minute * 100_000));
    expect(leaks).toEqual({ since: 60, resident: 6e6, isMet: false });
    expect(leaks?.resident).toBeGreaterThan(STEADY);
  });

  test("of a short run is told, and proves nothing", () => {
    expect(growthOf(minutes(10, (minute) => minute * 1e6))).toEqual({ since: 5, resident: 5e6, isMet: null });
    expect(growthOf(minutes(1, () => 1))).toBeNull();
  });
});
