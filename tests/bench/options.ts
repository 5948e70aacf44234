import { parseArgs } from "node:util";

const HELP = `Usage: bun run bench [options]

Measures Fairlead beside a bare server with the same database, in turn, and prints the ratios.

  --quick            fewer and shorter rounds, and no zones: under a minute in all
  --scale [SIZES]    instead, Fairlead alone on so many points, in turn, and what a request costs beside the
                     fewest (default 10000,1000000,10000000, which takes 5 GB of disk)
  --soak [MINUTES]   instead, the memory of Fairlead alone under 200 requests/s with 200 sockets, minute by
                     minute, and what it is made of (default 120); 70 and more say whether it still grows
  --everything       with --soak, 500 sockets, and beside them apps at each door, a receiver, boxes, a broker (mosquitto),
                     alerts, and the page in Chromium
  --late             instead, the longest that others wait while a buffer of 100,000 late fixes comes in
  --tracks           instead, tracks of a device that has a tenth of the positions, and the wait of others meanwhile
  --alerts           instead, storms of 1,000 alerts in a second, told to a webhook, and the wait of others meanwhile
  --feed             instead, the numbered feed: deliveries to sockets that follow it beside those to others, and
                     a socket that missed a million changes
  --timeline         instead, the timeline of a device with --points positions in a year
  --page             instead, the page of the Bridge in Chromium: its size, its start, its main thread under 500 devices that
                     move, and the track of a year with --points positions
  --small            instead, the executable on one core and 256 MiB, with the profile small, and beside it the profile standard
                     on one core, with a million positions unless --points says otherwise
  --fleet [BOXES]    instead, so many boxes that push to one shore for ten minutes of their clocks, ten times as fast as they
                     go (default 1000)
  --against DIR      instead, POST /v1/gps beside the server of another checkout, of an older version, with its
                     packages installed
  --points N         stored positions (default 10000; small: 1000000)
  --rounds N         counted rounds of each scenario, half as many of zones, a quarter of logins
                     (default 10; quick: 3; scale, small: 5), after 6 (quick: 4) that don't count
  --seconds S        length of a measurement (default 1; quick: 0.25)
  --connections N    kept-alive connections (default 32)
  --only WORD        only scenarios whose name holds WORD; also fanout, devices, zones, start
  --json FILE        write the figures as JSON too
  -h, --help         this text

What it writes goes to the directory for temporary files (TMPDIR) and is removed at the end.
`;

export interface Options {
  quick: boolean;
  /** Numbers of points, rising, to compare Fairlead with itself on; null for the comparison with the baseline. */
  scale: number[] | null;
  /** Minutes of a steady load under which memory is watched; null for the comparison with the baseline. */
  soak: number | null;
  /** True for a soak with everything on. */
  everything: boolean;
  /** True for a buffer of late fixes in place of the comparison. */
  late: boolean;
  /** True to measure tracks alone. */
  tracks: boolean;
  /** True to measure storms of alerts alone. */
  alerts: boolean;
  /** True to measure the numbered feed alone. */
  feed: boolean;
  /** True to measure timelines alone. */
  timeline: boolean;
  /** True to measure the page of the Bridge alone. */
  page: boolean;
  /** True to measure the executable on a small machine. */
  small: boolean;
  /** Boxes that push to one shore; null for the comparison with the baseline. */
  fleet: number | null;
  /** Directory of another version to compare with; null for the comparison with the baseline. */
  against: string | null;
  points: number;
  rounds: number;
  seconds: number;
  /** Rounds before them that don't count. */
  warmUpRounds: number;
  connections: number;
  only: string;
  json: string | undefined;
}

/** Values of options that may stand alone, which parseArgs doesn't know. */
const ALONE: Record<string, string> = {
  "--scale": "10000,1000000,10000000",
  "--soak": "120",
  "--fleet": "1000",
};

const completed = (args: string[]): string[] =>
  args.flatMap((arg, at) => {
    const alone = ALONE[arg];
    return alone !== undefined && !/^\d/.test(args[at + 1] ?? "") ? [arg, alone] : [arg];
  });

/**
 * The options of the command line. Ends the program after `--help`; throws for options that make no sense.
 */
export function readOptions(words: string[] = process.argv.slice(2)): Options {
  const { values } = parseArgs({
    args: completed(words),
    options: {
      quick: { type: "boolean", default: false },
      scale: { type: "string" },
      soak: { type: "string" },
      everything: { type: "boolean", default: false },
      late: { type: "boolean", default: false },
      tracks: { type: "boolean", default: false },
      alerts: { type: "boolean", default: false },
      feed: { type: "boolean", default: false },
      timeline: { type: "boolean", default: false },
      page: { type: "boolean", default: false },
      small: { type: "boolean", default: false },
      fleet: { type: "string" },
      against: { type: "string" },
      points: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string", default: "32" },
      only: { type: "string", default: "" },
      json: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const positive = (name: string, text: string): number => {
    const value = Number(text);
    if (value > 0) return value;
    throw new Error(`--${name} must be a number above 0`);
  };
  const sizes = values.scale?.split(",").map((size) => positive("scale", size));
  const rounds = values.quick ? "3" : sizes || values.small ? "5" : "10";
  return {
    quick: values.quick,
    scale: sizes?.sort((a, b) => a - b) ?? null,
    soak: values.soak === undefined ? null : Math.ceil(positive("soak", values.soak)),
    everything: values.everything,
    late: values.late,
    tracks: values.tracks,
    alerts: values.alerts,
    feed: values.feed,
    timeline: values.timeline,
    page: values.page,
    small: values.small,
    fleet: values.fleet === undefined ? null : Math.ceil(positive("fleet", values.fleet)),
    against: values.against ?? null,
    points: positive("points", values.points ?? (values.small ? "1000000" : "10000")),
    rounds: positive("rounds", values.rounds ?? rounds),
    seconds: positive("seconds", values.seconds ?? (values.quick ? "0.25" : "1")),
    warmUpRounds: values.quick ? 4 : 6,
    connections: positive("connections", values.connections),
    only: values.only,
    json: values.json,
  };
}
