import { parseArgs } from "node:util";
import { type Figures, History } from "./history";

const HELP = `Usage: bun run histories [options]

Runs the decisions of a boat and of its shore against each other through random histories: requests that are lost, torn, doubled,
overtaken or given up, kills, restores of either side, copies, clocks that jump. After each all rows have to be ashore, once.

  --count N    histories (default 100000)
  --seed N     the first of them; each has the next number (default: another one each time, which is printed)
  -h, --help   this text
`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const count = Number(values.count);
const seed = Number(values.seed ?? Math.floor(Math.random() * 0x3fffffff));
if (!(Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(seed))) {
  process.stderr.write("histories: --count and --seed take whole numbers\n");
  process.exit(2);
}
process.stdout.write(`seed ${seed}\n`);
const sum: Partial<Figures> = {};
for (let at = 0; at < count; at++) {
  const history = new History(seed + at);
  try {
    history.run();
  } catch (error) {
    process.stderr.write(
      `history ${seed + at} failed: ${(error as Error).message}\n${history.log.join("\n")}\n`,
    );
    process.exit(1);
  }
  for (const [name, value] of Object.entries(history.figures))
    sum[name as keyof Figures] = (sum[name as keyof Figures] ?? 0) + value;
}
process.stdout.write(`${count.toLocaleString("en")} histories held: 0 rows lost, 0 doubled, none stuck\n`);
for (const [name, value] of Object.entries(sum))
  process.stdout.write(`  ${name}: ${value.toLocaleString("en")}\n`);
