import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia, t } from "elysia";
import { guard, noteBodies } from "../../../src/identity/access/guard";
import { openDatabase } from "../../../src/kernel/db/connection";
import { closeDatabase } from "../../../src/kernel/db/transactions";
import { dataPath } from "../../../src/kernel/process/data-dir";
import { configure } from "../../support/in-process";
import { APP_KEY } from "../../support/server";

/** A route of batches takes more values than others; both refuse one more than they take. */

beforeAll(() => {
  configure({ "security.id_app_key": APP_KEY });
  openDatabase(dataPath.database(), "normal");
});
afterAll(() => {
  closeDatabase();
  configure();
});

const KEYS = 20;
const access = { requires: "audit:write", orAppKey: true } as const;
const body = t.Object({ positions: t.Array(t.Record(t.String(), t.Number())) });
const app = new Elysia()
  .use(guard)
  .onError(({ error }) => ((error as Error).cause as Error).message)
  .post("/usual", ({ body: { positions } }) => positions.length, { access, body })
  .post("/batch", ({ body: { positions } }) => positions.length, {
    access: { ...access, body: { values: 1_000 * KEYS } },
    body,
  });
noteBodies(app.routes);

/** The answer to a batch of positions of twenty keys each. */
async function answer(path: string, positions: number): Promise<string> {
  const position = Object.fromEntries(Array.from({ length: KEYS }, (_, key) => [`key_${key}`, key]));
  const request = new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-id-app-key": APP_KEY },
    body: JSON.stringify({ positions: Array(positions).fill(position) }),
  });
  return (await app.handle(request)).text();
}

test.each([
  ["/usual", 800, 16_000],
  ["/batch", 1_000, 20_000],
])("%s takes %p positions of twenty keys, and refuses more", async (path, positions, values) => {
  expect(await answer(path, positions)).toBe(String(positions));
  expect(await answer(path, positions + 1)).toBe(`The request body holds more than ${values} values`);
});
