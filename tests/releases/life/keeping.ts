import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { readCommit } from "../../../src/configuration/source-commit";
import { done } from "../../support/expectations";
import { command, TestServer, temporaryDirectory } from "../../support/server";
import { type Kept, type KeptAnswer, PAUSE, pack, sorted } from "../releases";
import type { Lived } from "./life";

/** Keeps what is left of a life in a folder: the database, what is answered out of it, and the OpenAPI document. */
export async function keep(lived: Lived, folder: string): Promise<void> {
  const { version } = manifest;
  const { dataDir, endedAt: madeAt, encryptionKey, settings, callers } = lived;
  const source = await readCommit(join(import.meta.dir, "../../.."));
  const commit = source?.commit ?? "";
  const answers = await answersTo(lived);
  const kept: Kept = {
    ...{ version, commit, madeAt, encryptionKey, settings, callers, answers },
  };
  mkdirSync(folder, { recursive: true });
  await pack(join(folder, "fairlead.db.gz"), await Bun.file(join(dataDir, "fairlead.db")).bytes());
  await pack(join(folder, "answers.json.gz"), JSON.stringify(kept));
  const { stdout: document } = await command(["openapi"]);
  await pack(join(folder, "openapi.json.gz"), JSON.stringify(sorted(JSON.parse(document))));
  process.stdout.write(`kept ${version} with ${answers.length} answers in ${folder}\n`);
}

/** The answers of a server with a copy of the database, at the time at which a later version is asked the same. */
async function answersTo({ dataDir, endedAt, settings, callers, questions }: Lived): Promise<KeptAnswer[]> {
  const copy = join(temporaryDirectory(), "data");
  cpSync(dataDir, copy, { recursive: true });
  const ahead = endedAt + PAUSE - Date.now();
  const server = await TestServer.start({ clock: "movable", dataDir: copy, settings, ahead });
  try {
    const answers: KeptAnswer[] = [];
    for (const [caller, path] of questions) {
      const token = callers.find(({ name }) => name === caller)?.token ?? "";
      answers.push({ caller, path, body: done(await server.get(path, { token })) });
    }
    return answers;
  } finally {
    await server.stop();
  }
}
