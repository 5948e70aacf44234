/** A foreign program that replaces a file by a copy of it, again and again: `bun replacer.ts FILE`, until it is killed. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const file = process.argv[2] ?? "";
const content = readFileSync(file);
const copy = `${file}.new`;
for (;;) {
  writeFileSync(copy, content);
  renameSync(copy, file);
}
