import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../support/server";
import { PATH } from "./support";

/** GraphQL's packages are loaded with the first request: they would take a third of the start-up time. */

const SRC = join(import.meta.dir, "../../src");

/** A server that counts the loaded modules of those packages before and after its first request by GraphQL. */
const PROGRAM = `
const { loadConfig } = await import("${SRC}/configuration/config");
loadConfig();
const { serve } = await import("${SRC}/serve");
const { url, stop } = await serve();
const loaded = () =>
  Object.keys(require.cache).filter((file) =>
    /node_modules\\/(graphql|@elysiajs\\/graphql|@graphql-|@envelop|@escape|@whatwg)/.test(file),
  ).length;
const before = loaded();
const query = JSON.stringify({ query: "{ __typename }" });
const headers = { "content-type": "application/json" };
const { status } = await fetch(url + "${PATH}", { method: "POST", headers, body: query });
process.stdout.write(JSON.stringify({ before, status, after: loaded() }) + "\\n");
await stop();
process.exit(0);
`;

test("the start of a server loads nothing of GraphQL, its first request does", async () => {
  const child = Bun.spawn([process.execPath, "-e", PROGRAM], {
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("FAIRLEAD_"))),
      FAIRLEAD_DATA_DIR: temporaryDirectory(),
      FAIRLEAD_SERVER_PORT: "0",
      FAIRLEAD_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { before, status, after } = JSON.parse((await new Response(child.stdout).text()).trim());
  expect([before, status]).toEqual([0, 200]);
  expect(after).toBeGreaterThan(100);
});
