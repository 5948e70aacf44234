import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { temporaryDirectory } from "../../support/server";

/** Number of times that the process is killed; many more by hand. */
const KILLS = Number(process.env.KILLS ?? 5);

/** Longest life of a process once it is at work, in milliseconds. */
const LONGEST_LIFE = 250;

const spawn = (directory: string, address: string) =>
  Bun.spawn([process.execPath, join(import.meta.dir, "child.ts"), directory, address], {
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Lets a process work for a while, kills it, and returns the whole lines that it wrote. */
async function lifeOf(directory: string, address: string): Promise<string[]> {
  const child = spawn(directory, address);
  let text = "";
  const decoder = new TextDecoder();
  let isDoomed = false;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (isDoomed || !text.includes("ready\n")) continue;
    isDoomed = true;
    setTimeout(() => child.kill("SIGKILL"), Math.random() * LONGEST_LIFE);
  }
  expect(await new Response(child.stderr).text()).toBe("");
  return text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line !== "ready");
}

test(
  "kill -9 at any moment loses no delivery whose commit was acknowledged: each arrives at least once, in order",
  async () => {
    const hook = new WebhookStandIn();
    // Some answers are never read, some say no.
    let answers = 0;
    hook.answer(async () => {
      if (++answers % 7 === 0) await Bun.sleep(Math.random() * 20);
      return new Response(null, { status: answers % 50 === 0 ? 503 : 204 });
    });
    const directory = temporaryDirectory();
    const acknowledged: string[] = [];
    // On a slow machine a life may end before its first commit.
    for (let kill = 0; kill < KILLS || acknowledged.length <= KILLS; kill++)
      acknowledged.push(...(await lifeOf(directory, hook.url)));
    hook.answer();
    const last = spawn(directory, "drain");
    expect(await last.exited).toBe(0);

    const database = new Database(join(directory, "outbox.db"), { readonly: true });
    const rows = database
      .query<{ id: string; status: string; alert_id: string }, []>(
        "SELECT id, status, alert_id FROM outbox ORDER BY number",
      )
      .all();
    expect(
      database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get()?.integrity_check,
    ).toBe("ok");
    database.close();
    await hook.stop();

    const arrived = new Map<string, number>();
    for (const [at, { id }] of hook.received.entries()) if (!arrived.has(id)) arrived.set(id, at);
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !arrived.has(id))).toEqual([]);
    expect(rows.filter(({ id, status }) => status !== "delivered" || !arrived.has(id))).toEqual([]);
    // Nothing is sent before its commit.
    expect([...arrived.keys()].filter((id) => !stored.has(id))).toEqual([]);
    const wrongOrder = rows.filter(
      ({ id, alert_id }, at) =>
        rows[at + 1]?.alert_id === alert_id &&
        (arrived.get(id) ?? 0) > (arrived.get(rows[at + 1]?.id ?? "") ?? Number.POSITIVE_INFINITY),
    );
    expect(wrongOrder).toEqual([]);
    if (process.env.KILLS)
      process.stdout.write(
        `${KILLS} kills, ${acknowledged.length} acknowledged, ${arrived.size} arrived in ${hook.received.length} requests\n`,
      );
  },
  60_000 + KILLS * 10_000,
);
