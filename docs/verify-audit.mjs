// Verifies an export of the audit log, without any code of Fairlead. Node 20 or newer, or Bun:
//   node verify-audit.mjs audit-log.ndjson [hash of a head that you were told, within the export]
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [path, told] = process.argv.slice(2);
const end = (status, words) => process.exit(console.log(words) ?? status);
if (!path || !existsSync(path))
  end(2, path ? `there is no file ${path}` : "usage: node verify-audit.mjs audit-log.ndjson [hash of a head that you were told]");
// RFC 8785 for objects of strings, whole numbers and null: members in the order of their names.
const sha256 = (fields) => createHash("sha256").update(JSON.stringify(fields, Object.keys(fields).sort())).digest("hex");
const parse = (line, read) => {
  try {
    return read(JSON.parse(line));
  } catch {
    return end(1, "BROKEN: this is not an export of the audit log, or its end was cut off");
  }
};
const readHead = (head) => (head.type === "fairlead_audit_log" ? head : null.type);
const readEvent = ({ event, personal, hash }) => ({
  ...{ event, hash, isScrubbed: personal.salt === null },
  isWhole: sha256(event) === hash && (personal.salt === null || sha256(personal) === event.personal_hash),
});

let head, last, at;
let [entries, scrubbed] = [0, 0];
for await (const line of createInterface({ input: createReadStream(path) })) {
  if (!head) {
    head = parse(line, readHead);
    last = { number: head.first_number - 1, hash: head.previous_hash };
    continue;
  }
  const { event, hash, isScrubbed, isWhole } = parse(line, readEvent);
  const follows = event.number === last.number + 1 && event.previous_hash === last.hash;
  if (!follows || !isWhole) end(1, `BROKEN at no. ${event.number} (${event.id})`);
  if (hash === told?.toLowerCase()) at = event.number;
  last = { number: event.number, hash };
  if (isScrubbed) scrubbed++;
  entries++;
}
if (!head) parse("", readHead);
if (head.last_hash !== (entries > 0 ? last.hash : null)) end(1, "BROKEN: events are missing at the end");
if (told && !at) end(1, "BROKEN: the hash that you were told is that of no event here");
if (entries === 0) end(0, "intact: 0 events");
end(0, `intact: ${entries} events (${scrubbed} scrubbed), no. ${head.first_number} to no. ${last.number}, ${last.hash}${at ? `; told of up to no. ${at}` : ""}`);
