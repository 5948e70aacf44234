import { describe, expect, test } from "bun:test";
import { smallCage, weigh } from "./cage";
import { readOptions } from "./options";

describe("the options of the bench", () => {
  test("of a small machine have a million positions, unless others are named", () => {
    expect(readOptions([]).small).toBe(false);
    expect(readOptions([]).points).toBe(10_000);
    expect(readOptions(["--small"])).toMatchObject({ small: true, points: 1_000_000, rounds: 5 });
    expect(readOptions(["--small", "--points", "5000", "--quick"])).toMatchObject({
      points: 5_000,
      rounds: 3,
    });
  });

  test("that make no sense are refused", () => {
    expect(() => readOptions(["--small", "--points", "none"])).toThrow("--points must be a number above 0");
    expect(() => readOptions(["--tiny"])).toThrow();
  });
});

describe("the bounds of a small machine", () => {
  test("say how they are held, and hold a command to one core", async () => {
    const cage = smallCage(256 * 1024 * 1024);
    try {
      expect(cage.name).not.toBe("");
      expect(cage.isEnforced).toBe(cage.lacks === null);
      const child = Bun.spawn(cage.around(["sh", "-c", "grep Cpus_allowed_list /proc/self/status"]), {
        stdio: ["ignore", "pipe", "inherit"],
      });
      expect(await new Response(child.stdout).text()).toMatch(/:\s*0\n$/);
      expect(await child.exited).toBe(0);
    } finally {
      cage.remove();
    }
  });

  test("weigh a process together with its children", async () => {
    const child = Bun.spawn(["sh", "-c", "sleep 20 & wait"], { stdio: ["ignore", "ignore", "ignore"] });
    const alone = Bun.spawn(["sleep", "20"], { stdio: ["ignore", "ignore", "ignore"] });
    try {
      const family = () => weigh(child.pid)?.anonymous ?? 0;
      const single = () => weigh(alone.pid)?.anonymous ?? 0;
      const children = () => Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text();
      while ((await children()).trim() === "" || single() === 0) await Bun.sleep(5);
      expect(family()).toBeGreaterThan(single());
      expect(weigh(child.pid)?.resident).toBeGreaterThan(family());
    } finally {
      const [sleeper] = (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).split(" ");
      if (sleeper) process.kill(Number(sleeper));
      child.kill();
      alone.kill();
      await Promise.all([child.exited, alone.exited]);
    }
    expect(weigh(child.pid)).toBeNull();
  });
});
