// Verifies a log that was exported with format=json, without any code of Fairlead. Node 20 or newer, or Bun:
//   node verify-log.mjs log.json [hash from the foot of a signed sheet]
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const [file, signed] = process.argv.slice(2);
const end = (status, words) => process.exit(console.log(words) ?? status);

// RFC 8785: members ordered by the UTF-16 code units of their names; strings and numbers as JavaScript writes them.
const canonical = (value) => {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
};

const { trip_id, data, head } = JSON.parse(readFileSync(file, "utf8"));
let previous = null;
for (const { hash, ...entry } of data) {
  const computed = createHash("sha256").update(canonical(entry)).digest("hex");
  const isNext = entry.previous_hash === previous && entry.trip_id === trip_id;
  if (hash !== computed || !isNext) end(1, `BROKEN at entry no. ${entry.number} (${entry.id})`);
  previous = hash;
}
if (head !== previous) end(1, "BROKEN: entries are missing at the end");
const at = data.find(({ hash }) => hash === signed);
if (signed && !at) end(1, "BROKEN: the signed hash is that of no entry");
end(0, `intact: ${data.length} entries, head ${head}${at ? `; signed up to no. ${at.number}` : ""}`);
