/**
 * Writes the next migration from the tables in src (table.ts files) and embeds all migrations into the program:
 *   bun run generate             a migration for what changed in the tables
 *   bun run generate --custom    an empty one to fill by hand (virtual tables, data); run it again afterwards
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = import.meta.dir;
const kit = Bun.spawnSync(
  ["drizzle-kit", "generate", "--config", "drizzle/config.ts", ...process.argv.slice(2)],
  {
    cwd: join(folder, ".."),
    stdio: ["inherit", "inherit", "inherit"],
  },
);
if (kit.exitCode !== 0) process.exit(kit.exitCode);

const files = readdirSync(folder)
  .filter((file) => file.endsWith(".sql"))
  .sort();
for (const file of files) {
  // drizzle-kit can't write STRICT tables.
  const sql = readFileSync(join(folder, file), "utf8");
  writeFileSync(join(folder, file), sql.replaceAll(/^\);$/gm, ") STRICT;"));
}

const imports = files.map(
  (file, at) => `import m${at} from "../../../drizzle/${file}" with { type: "text" };`,
);
const entries = files.map((file, at) => `  { tag: "${file.replace(/\.sql$/, "")}", sql: m${at} },`);
writeFileSync(
  join(folder, "../src/kernel/db/migrations.gen.ts"),
  `// Written by \`bun run generate\`. Do not edit.\n${imports.join("\n")}\n\nexport const migrations: { tag: string; sql: string }[] = [\n${entries.join("\n")}\n];\n`,
);
