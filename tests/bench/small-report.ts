import { loadavg } from "node:os";
import type { Weight } from "./cage";
import { fixed, latencies, perSecond, whole } from "./report";
import type { ProfileFigures, SmallFigures } from "./small";

/** The report on a small machine. Its tables are Markdown, so that they go into the documentation as they are. */

/** Processes that wanted a core in the last minutes: whoever reads the figures should know. */
const loadOfMachine = (): string => loadavg()[1]?.toFixed(1) ?? "?";

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(2)} s`;
const mebibytes = (bytes: number): string => whole(bytes / 1_048_576);
const weight = ({ resident, anonymous }: Weight): string =>
  `${mebibytes(resident)} (${mebibytes(anonymous)}) MiB`;
const took = (time: string, peak: Weight): string => `${time}, ${weight(peak)}`;

type Row = [name: string, figure: (figures: ProfileFigures) => string];

function markdown(rows: Row[], { small, standard }: SmallFigures["profiles"]): string {
  return [
    "| | `small` | `standard` |",
    "|---|---|---|",
    ...rows.map(([name, figure]) => `| ${name} | ${figure(small)} | ${figure(standard)} |`),
  ].join("\n");
}

export function describeSmall(report: SmallFigures & { machine: string }): string {
  const { machine, points, cage, executable, profiles } = report;
  const figures: Row[] = [
    ["start until it answers, on an empty data directory", ({ startEmpty }) => seconds(startEmpty)],
    ["the same with the positions", ({ startFull }) => seconds(startFull)],
    ["memory when idle", ({ idle }) => weight(idle)],
    ["`POST /v1/gps`, p50 / p99", ({ single }) => `${perSecond(single.positions)}, ${latencies(single)} ms`],
    [
      "positions in batches of 100, p50 / p99",
      ({ batch }) => `${perSecond(batch.positions)}, ${latencies(batch)} ms`,
    ],
    [
      "`GET /v1/gps/current`, p50 / p99",
      ({ reads }) => `${perSecond(reads.perSecond)}, ${latencies(reads)} ms`,
    ],
    ["most memory under that load", ({ afterLoad }) => weight(afterLoad)],
    ["first paint of the Bridge", ({ paint }) => seconds(paint.firstPaint)],
    ["map drawn", ({ paint }) => seconds(paint.mapReady)],
    ["a backup", ({ backup }) => took(`${backup.seconds.toFixed(1)} s`, backup.peak)],
    [
      "others meanwhile, p99 / longest",
      ({ backup }) =>
        backup.waits
          .map(({ name, p99, longest }) => `${name} ${fixed(p99)} / ${fixed(longest)} ms`)
          .join("; "),
    ],
    ["most memory of all", ({ peak }) => weight(peak)],
  ];
  const chores: Row[] = [
    ...profiles.small.chores.map(
      ({ name }, at): Row => [
        name,
        ({ chores }) => {
          const { milliseconds, processor, peak } = chores[at] as ProfileFigures["chores"][number];
          return took(`${seconds(milliseconds)} (${seconds(processor)})`, peak);
        },
      ],
    ),
    [
      "a backup made, restored for a try and examined",
      ({ deep }) => took(`${deep.seconds.toFixed(1)} s`, deep.peak),
    ],
    ["a migration from 0.1.0", ({ migration }) => took(`${migration.seconds.toFixed(1)} s`, migration.peak)],
  ];
  const lines = [
    `A small machine: one core and 256 MiB (${machine}; load ${loadOfMachine()})`,
    `the executable (${whole(executable / 1_000_000)} MB) with ${whole(points)} positions of one device; the profile standard has one core and as much memory as it takes`,
    `held by ${cage.name}${cage.lacks === null ? "" : `. This does not enforce: ${cage.lacks}`}`,
    "Memory is what was resident at most (of it anonymous), with child processes.",
    "",
    markdown(figures, profiles),
    "",
    "Nothing was ended, and nothing failed (elapsed time, in brackets the server's processor time; memory):",
    "",
    markdown(chores, profiles),
  ];
  return `${lines.join("\n")}\n`;
}
