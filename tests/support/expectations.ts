import { expect } from "bun:test";
import { PERMISSIONS } from "../../src/identity/access/permissions";
import type { Answer, Token } from "./api";
import type { TestServer } from "./server";

/** Expectations of answers, and the waiting for effects that come after them. */

/** An identifier of no record. */
export const UNKNOWN = "0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a02";

/** The answer, if it has the status that the test depends on; throws otherwise. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status)
    throw new Error(`answered ${answer.status} in place of ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** The answer's body; throws unless it tells of a success, so that no test goes on from a wrong start. */
export function done({ status, body }: Answer) {
  if (status > 204) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Statuses of answers that came in any order. */
export const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status).sort();

/** Expects a 400 whose details name these fields (JSON pointers), and no others. */
export function expectInvalid(answer: Answer, ...paths: string[]): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error).toBe("ValidationError");
  expect(answer.body.details.map((detail: { path: string }) => detail.path).sort()).toEqual(paths.sort());
}

/** Expects a refusal by its status and the name of its error. */
export function expectRefused(answer: Answer, status: number, error: string): void {
  expect({ status: answer.status, error: answer.body?.error }).toEqual({ status, error });
}

/**
 * Expects that a request needs this permission: 401 without a credential and with a wrong one, 403 with a key
 * that holds every other permission, and `status` with a key that holds this one alone.
 */
export async function expectPermission(
  server: TestServer,
  permission: string,
  status: number,
  request: (token?: Token) => Promise<Answer>,
): Promise<void> {
  expectRefused(await request(), 401, "Unauthorized");
  expectRefused(await request(`flk_${"x".repeat(43)}`), 401, "Unauthorized");
  const others = Object.keys(PERMISSIONS).filter((other) => other !== permission);
  expectRefused(await request(await server.key(...others)), 403, "Forbidden");
  expect((await request(await server.key(permission))).status).toBe(status);
}

/** Expects that `act` leaves everything that `state` reads as it was; returns its result. */
export async function expectKept<T>(state: () => unknown, act: () => Promise<T>): Promise<T> {
  const before = state();
  const result = await act();
  expect(state()).toEqual(before);
  return result;
}

/** The number of records in a paginated list. */
export async function totalOf(server: TestServer, path: string): Promise<number> {
  const answer = await server.get(`${path}?limit=1`, { token: await server.admin() });
  return expectStatus(answer, 200).body.pagination.total;
}

/** Milliseconds after which something that was to come has not come, on a busy machine. */
const PATIENCE = 40_000;

/**
 * Waits until an expectation holds of something that changes by itself, such as a page: it is tried again and again. One
 * that never holds fails as it did last.
 */
export async function soon(expectation: () => Promise<unknown>): Promise<void> {
  for (const end = performance.now() + PATIENCE; ; await Bun.sleep(20)) {
    try {
      await expectation();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** Waits until something holds. Throws with its words once it should long have come. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 3 * PATIENCE; !(await holds()); await Bun.sleep(10))
    if (performance.now() > end) throw new Error(`this has not come to hold: ${holds}`);
}
