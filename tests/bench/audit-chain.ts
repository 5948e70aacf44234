/**
 * The cost of the audit log's hash chain: `bun tests/bench/audit-chain.ts [events]`. Events are written in transactions of a
 * hundred, with the chain and, as the baseline beside it, by the same statement without it, in turns within one run.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertEvent } from "../../src/identity/audit/service";
import { verifyChain } from "../../src/identity/audit-log/verify";
import { openDatabase, sqlite } from "../../src/kernel/db/connection";
import { migrate } from "../../src/kernel/db/migrate";
import { closeDatabase, transact } from "../../src/kernel/db/transactions";

const EVENTS = Number(process.argv[2] ?? 40_000);
const TOGETHER = 100;
const ROUNDS = 20;

const directory = mkdtempSync(join(tmpdir(), "fairlead-bench-"));
const file = join(directory, "fairlead.db");
openDatabase(file, "normal");
migrate();

const event = {
  event_type: "login",
  user_id: Bun.randomUUIDv7(),
  resource_type: "session",
  resource_id: Bun.randomUUIDv7(),
  ip_address: "203.0.113.7",
  user_agent:
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  metadata: { platform: "email", remember: true },
  status: "success",
  source_service: "api",
} as const;

/** Microseconds of the processor that an event takes, its commit not counted: others may load the machine. */
async function microseconds(): Promise<number> {
  let spent = 0;
  for (let n = 0; n < EVENTS / ROUNDS; n += TOGETHER)
    await transact(() => {
      const began = process.cpuUsage();
      for (let at = 0; at < TOGETHER; at++) insertEvent(event);
      const { user, system } = process.cpuUsage(began);
      spent += user + system;
    });
  return spent / (EVENTS / ROUNDS);
}

/** While events of an earlier version are chained, an event is stored without a link: that is the baseline. */
function setChain(isOn: boolean): void {
  const other = new Database(file);
  // By another connection, as the program takes the head from memory until somebody else writes.
  other.run(`UPDATE audit_chain SET chained_to = ${isOn ? "NULL" : "''"}`);
  other.close();
}

const lowest = (values: number[]): number => Math.min(...values);

const [without, withChain]: [number[], number[]] = [[], []];
for (let round = 0; round < 2 * ROUNDS; round++) {
  const isOn = round % 2 === 1;
  setChain(isOn);
  const each = await microseconds();
  // The runtime compiles in the first rounds.
  if (round >= 8) (isOn ? withChain : without).push(each);
}
const [bare, chained] = [lowest(without), lowest(withChain)];
process.stdout.write(
  `without the chain ${bare.toFixed(1)} µs an event, with it ${chained.toFixed(1)} µs: ${(chained - bare).toFixed(1)} µs more\n`,
);

sqlite.run("DELETE FROM audit_events WHERE hash IS NULL");
const began = performance.now();
const verdict = await verifyChain(0, Number.MAX_SAFE_INTEGER);
process.stdout.write(
  `${verdict?.entries} events verified in ${((performance.now() - began) / 1_000).toFixed(1)} s: ${verdict?.first_break ? "BROKEN" : "intact"}\n`,
);
closeDatabase();
rmSync(directory, { recursive: true });
