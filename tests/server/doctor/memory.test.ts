import { describe, expect, test } from "bun:test";
import { judgeMemory, limitOfGroups } from "../../../src/server/doctor/memory";
import { command } from "../../support/server";

const MEBIBYTE = 1024 * 1024;

/** Files by their paths, as the kernel shows control groups. */
const limitIn = (files: Record<string, string>) => limitOfGroups((path) => files[path] ?? null);

describe("the limit of the control groups", () => {
  test("is the least from the own group of cgroup v2 up", () => {
    const own = { "/proc/self/cgroup": "0::/system.slice/fairlead.service\n" };
    expect(limitIn(own)).toBeNull();
    const service = "/sys/fs/cgroup/system.slice/fairlead.service/memory.max";
    expect(limitIn({ ...own, [service]: "max\n" })).toBeNull();
    const slice = { "/sys/fs/cgroup/system.slice/memory.max": "400000000\n" };
    expect(limitIn({ ...own, [service]: "max\n", ...slice })).toBe(400_000_000);
    expect(limitIn({ ...own, [service]: "268435456\n", ...slice })).toBe(268_435_456);
  });

  test("is that of a container, which sees its own group as the root", () => {
    const files = { "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "268435456\n" };
    expect(limitIn(files)).toBe(268_435_456);
  });

  test("is that of the memory controller of cgroup v1", () => {
    const files = {
      "/proc/self/cgroup": "5:cpu,cpuacct:/other\n4:memory:/docker/abc\n0::/\n",
      "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "300000000\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    };
    expect(limitIn(files)).toBe(300_000_000);
  });

  test("is none where there are no groups", () => {
    expect(limitIn({})).toBeNull();
  });
});

describe("the doctor's judgement of memory", () => {
  const judged = (
    profile: "small" | "standard",
    { limit = null, machine = 8_000, geoip = 0 }: { limit?: number | null; machine?: number; geoip?: number },
  ) =>
    judgeMemory(profile, {
      limit: limit === null ? null : limit * MEBIBYTE,
      machine: machine * MEBIBYTE,
      geoipBytes: geoip * MEBIBYTE,
    });

  test("warns of the standard profile below 512 MiB, of the machine or of a group", () => {
    for (const little of [{ machine: 430 }, { limit: 511 }])
      expect(judged("standard", little)).toEqual([
        expect.objectContaining({
          verdict: "warning",
          message: expect.objectContaining({
            en: expect.stringContaining("set performance.profile to small"),
          }),
        }),
      ]);
    for (const enough of [{}, { machine: 512 }, { limit: 512 }, { machine: 600, limit: 8_000 }])
      expect(judged("standard", enough)).toMatchObject([{ verdict: "ok" }]);
  });

  test("bears 256 MiB with the profile small, and warns of less and of a large GeoIP database", () => {
    for (const enough of [{ limit: 256 }, { machine: 225 }, { limit: 256, geoip: 10 }])
      expect(judged("small", enough)).toMatchObject([{ verdict: "ok" }]);
    expect(judged("small", { limit: 200 })).toMatchObject([{ verdict: "warning" }]);
    expect(judged("small", { geoip: 60 })).toMatchObject([
      { verdict: "warning", message: { en: expect.stringContaining("geoip.database") } },
    ]);
  });

  test("is among its findings", async () => {
    const { stdout } = await command(["doctor", "--json"], { settings: { "performance.profile": "small" } });
    const { findings } = JSON.parse(stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "memory", message: expect.stringContaining("small") }),
    );
  });
});
