import { describe, expect, test } from "bun:test";
import { isPermissionForm, PERMISSIONS, PermissionSet } from "../../../src/identity/access/permissions";

const of = (...held: string[]) => new PermissionSet(held);

describe("a set of permissions grants", () => {
  test("what it holds, and nothing else", () => {
    const set = of("gps:read", "trips:write");
    expect(set.has("gps:read")).toBe(true);
    for (const other of [
      "gps:write",
      "gps:*",
      "*:*",
      "trips:read",
      "gps",
      "",
      "gps:read:x",
      "GPS:read",
      "xgps:read",
    ])
      expect([other, set.has(other)]).toEqual([other, false]);
  });

  test("every action of a resource by its wildcard, and no other resource's", () => {
    const set = of("gps:*");
    for (const held of ["gps:read", "gps:write", "gps:delete", "gps:anything", "gps:*"])
      expect([held, set.has(held)]).toEqual([held, true]);
    for (const other of ["devices:read", "*:*", "gpsx:read"])
      expect([other, set.has(other)]).toEqual([other, false]);
    // Actions with a dot belong to their resource.
    expect(of("community:*").has("community:guild.sync")).toBe(true);
    expect(of("community:sync").has("community:guild.sync")).toBe(false);
  });

  test("everything by *:*", () => {
    for (const permission of [...Object.keys(PERMISSIONS), "custom:thing", "gps:*", "*:*"])
      expect(PermissionSet.all.has(permission)).toBe(true);
    expect(Object.keys(PERMISSIONS).some((permission) => new PermissionSet([]).has(permission))).toBe(false);
  });

  test("a list when it grants each of it", () => {
    expect(of("gps:*", "trips:read").hasAll(["gps:read", "gps:write", "trips:read"])).toBe(true);
    expect(of("gps:*").hasAll(["gps:read", "trips:read"])).toBe(false);
    expect(new PermissionSet([]).hasAll([])).toBe(true);
  });
});

describe("the intersection of two sets", () => {
  test("narrows wildcards to what the other side holds", () => {
    expect(of("gps:*").intersect(of("gps:read")).list()).toEqual(["gps:read"]);
    expect(of("*:*").intersect(of("gps:*", "trips:read")).list()).toEqual(["gps:*", "trips:read"]);
    expect(of("*:*").intersect(of("*:*")).list()).toEqual(["*:*"]);
    expect(of("gps:read").intersect(of("gps:write")).list()).toEqual([]);
    expect(of("gps:read").intersect(new PermissionSet([])).list()).toEqual([]);
  });

  test("grants exactly what both grant, whichever is asked first", () => {
    const candidates = ["*:*", "gps:*", "gps:read", "gps:write", "trips:*", "trips:read"];
    const subsets = Array.from({ length: 2 ** candidates.length }, (_, bits) =>
      of(...candidates.filter((_, at) => bits & (1 << at))),
    );
    const asked = [...candidates, "gps:delete", "devices:read", "devices:*"];
    let differing = 0;
    for (const one of subsets)
      for (const two of subsets) {
        const [both, reversed] = [one.intersect(two), two.intersect(one)];
        for (const permission of asked) {
          const expected = one.has(permission) && two.has(permission);
          if (both.has(permission) !== expected || reversed.has(permission) !== expected) differing++;
        }
      }
    expect(differing).toBe(0);
  });
});

describe("the form of a permission", () => {
  test("is <resource>:<action>, with a wildcard for the action or for both", () => {
    for (const value of [
      ...Object.keys(PERMISSIONS),
      "*:*",
      "gps:*",
      "my_resource9:do.this",
      `${"x".repeat(64)}:a`,
    ])
      expect([value, isPermissionForm(value)]).toEqual([value, true]);
    for (const value of [
      "",
      "gps",
      "gps:",
      ":read",
      "*:read",
      "*",
      "gps:read:x",
      "Gps:read",
      "gps:Read",
      "gps read",
      "gps:re ad",
      "9gps:read",
      "gps:*x",
      "gps:read\n",
      "__proto__",
      `${"x".repeat(65)}:a`,
    ])
      expect([value, isPermissionForm(value)]).toEqual([value, false]);
  });
});
