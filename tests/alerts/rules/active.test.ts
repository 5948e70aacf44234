import { afterAll, beforeAll, expect, test } from "bun:test";
import { activeRule, hasRules, rulesOf } from "../../../src/alerts/rules/active";
import { createRule, deleteRule, updateRule } from "../../../src/alerts/rules/service";
import { apiKeys } from "../../../src/identity/api-keys/table";
import { db } from "../../../src/kernel/db/connection";
import { closeDatabase, transact } from "../../../src/kernel/db/transactions";
import { randomFrom } from "../../support/random";
import { newDevice, openTracking, SERVICE } from "../../tracking/in-process";

/** The rules in memory are those of the database, in order, whatever was changed, undone or read in between. */

beforeAll(async () => {
  await openTracking();
  const { id } = SERVICE.caller;
  const times = { created_at: 0, updated_at: 0 };
  db.insert(apiKeys)
    .values({ id, key_hash: "h", key_prefix: "flk_", name: "tests", scopes: [], is_system: true, ...times })
    .run();
});
afterAll(() => closeDatabase());

/** The active rules as they are found for positions. */
function inMemory() {
  const { ofAll, ofDevice } = rulesOf("speed");
  const limits = (rules: typeof ofAll) => rules.map(({ condition }) => condition.above_knots);
  return {
    ofAll: limits(ofAll),
    ofDevice: [...ofDevice].map(([id, rules]) => [id, limits(rules)]).toSorted(),
  };
}

/** The same, as a new reading of the database has it. */
async function inDatabase() {
  // A change that is undone: memory is given up.
  const [rule] = [...rulesOf("speed").ofAll, ...[...rulesOf("speed").ofDevice.values()].flat()];
  if (rule) await updateRule(SERVICE, rule.id, { device_ids: [crypto.randomUUID()] }).catch(() => {});
  return inMemory();
}

test("after any changes", async () => {
  const random = randomFrom(3);
  const below = (bound: number) => Math.floor(random() * bound);
  const devices = [newDevice(), newDevice(), newDevice()];
  const ids: string[] = [];
  expect(hasRules()).toBe(false);
  for (let step = 0; step < 200; step++) {
    const fields = {
      condition: { type: "speed" as const, above_knots: below(20) },
      device_ids: devices.filter(() => random() < 0.3),
      is_active: random() < 0.8,
    };
    const at = below(ids.length);
    const id = ids[at];
    const kind = random();
    if (id === undefined || kind < 0.4)
      ids.push((await createRule(SERVICE, { name: "rule", severity: "info", ...fields })).id);
    else if (kind < 0.7) await updateRule(SERVICE, id, fields);
    else if (kind < 0.9) {
      ids.splice(at, 1);
      await deleteRule(SERVICE, id);
      expect(activeRule(id)).toBeUndefined();
    } else await Promise.all([updateRule(SERVICE, id, fields), transact(() => inMemory())]);
    const known = inMemory();
    expect(known.ofAll).toEqual(known.ofAll.toSorted((a, b) => a - b));
    if (step % 10 === 0) expect(known).toEqual(await inDatabase());
  }
});
