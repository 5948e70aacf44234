import { expect } from "bun:test";
import type { Answer } from "../support/api";
import { expectInvalid, expectStatus } from "../support/expectations";
import type { TestServer } from "../support/server";

/** Shared by the tests of locations, trip categories and trip templates. */

async function create(server: TestServer, path: string, body: object) {
  return expectStatus(await server.post(path, { token: await server.admin(), body }), 201).body.data;
}

/** Creates a location as the admin and returns the record. */
export const createLocation = (server: TestServer, fields: object = {}) =>
  create(server, "/v1/locations", { name: "pier", ...fields });

/** Creates a trip category as the admin and returns the record. */
export const createCategory = (server: TestServer, fields: object = {}) =>
  create(server, "/v1/trip-categories", { name: "transfer", ...fields });

/** Creates a trip template as the admin and returns the record. */
export const createTemplate = (server: TestServer, fields: object = {}) =>
  create(server, "/v1/trip-templates", { name: "supply run", ...fields });

/** Reads a record as the admin. */
export async function read(server: TestServer, path: string) {
  return expectStatus(await server.get(path, { token: await server.admin() }), 200).body.data;
}

/** A field, values that it accepts and keeps unchanged, and values that it refuses. */
export type Bounds = [field: string, fits: unknown[], refused: unknown[]];

/** Bounds in the form of a table of tests. */
export const named = (bounds: Bounds[]) => bounds.map((one): [string, Bounds] => [one[0], one]);

export const NAME: Bounds = [
  "name",
  ["x", "x".repeat(200), "🌊".repeat(200)],
  ["", "x".repeat(201), "🌊".repeat(201), null, 5, ["x"]],
];
/** A text of at most `length` characters, or null. */
export const text = (field: string, length: number): Bounds => [
  field,
  ["", "x".repeat(length), "🌊".repeat(length), null],
  ["x".repeat(length + 1), "🌊".repeat(length + 1), 5, false, {}],
];
/** A number between two bounds, or null. */
export const between = (field: string, minimum: number, maximum: number): Bounds => [
  field,
  [minimum, maximum, 0, 1.5, null],
  [minimum - 1e-9, maximum + 1e-9, "1", true, [1]],
];
export const REFERENCE_FORMS = ["x", "", 5, "0192f3a1-5c00-7d1e-9a55", {}];

/** Expects that a POST or PATCH accepts and keeps each value that fits. */
export async function expectTaken([field, fits]: Bounds, send: (body: object) => Promise<Answer>) {
  for (const value of fits) {
    const { body } = await send({ [field]: value });
    expect(body.data).toMatchObject({ [field]: value });
  }
}

/** Expects that a POST or PATCH refuses each value that doesn't fit, naming the field, and changes nothing. */
export async function expectNotTaken(
  [field, , refused]: Bounds,
  send: (body: object) => Promise<Answer>,
  state: () => Promise<unknown>,
) {
  const before = await state();
  for (const value of refused) expectInvalid(await send({ [field]: value }), `/${field}`);
  expect(await state()).toEqual(before);
}

const byName = (a: string, b: string): number => {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  return x < y ? -1 : x > y ? 1 : 0;
};

interface Named {
  id: string;
  name: string;
}

/** Records by name, ignoring case; those of the same name in the order of their creation. */
export const inOrderOfNames = <T extends Named>(records: T[]): T[] =>
  records.toSorted((a, b) => byName(a.name, b.name) || (a.id < b.id ? -1 : 1));

/** Names in upper and lower case, some more than once, in no order. */
export const MIXED_NAMES = [
  "beta",
  "Zulu",
  "alpha",
  "Beta",
  "ALPHA",
  "gamma 10",
  "Gamma 2",
  "alpha",
  "_x",
  "zulu",
];
