import { config } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { isServed } from "../../kernel/process/data-lock";
import { sizeInWords } from "../../kernel/process/print";
import type { Health } from "../health/schema";
import { type Finding, ok, problem, warning } from "./findings";
import { runningServices } from "./running";

/** The doctor's look at the link to the shore. Its address is tried with the other addresses outside. */

const CHECK = "shore";

/** Asks a server that runs about its link: no credential is sent from here. */
export async function checkShore(): Promise<Finding[]> {
  const url = config["sync.url"];
  return url === null ? [] : [...checkSecrecy(new URL(url)), ...(await checkLink())];
}

const checkSecrecy = ({ protocol, hostname }: URL): Finding[] =>
  protocol === "http:" && !isLoopback(hostname)
    ? [
        warning(
          CHECK,
          "sync.url is http://, so sync.token and all that the boat tells travel in clear text; use https://",
        ),
      ]
    : [];

async function checkLink(): Promise<Finding[]> {
  if (!isServed()) return [ok(CHECK, "whether it answers shows once the server runs")];
  const link = (await runningServices())?.sync;
  if (!link)
    return [
      warning(CHECK, "the server doesn't tell of it; restart the server, so that it reads the configuration"),
    ];
  const { status, trouble, last_contact_at } = link;
  const contact = `last contact ${last_contact_at === null ? "never" : `at ${last_contact_at}`}`;
  const state = `${contact}; ${backlogOf(link)}`;
  if (trouble === null) return [ok(CHECK, state)];
  return status === "up"
    ? [ok(CHECK, `the last request failed: ${trouble}; ${state}`)]
    : [problem(CHECK, `${trouble}; ${state}. Check sync.url, sync.token and the line`)];
}

const NAMES: Record<string, string> = {
  alerts: "alerts",
  trips: "devices, trips and log entries",
  zones: "zone events",
  backlog: "positions",
  history: "records of before the first contact",
};

/** The lanes in which something waits, in words. */
function backlogOf({ lanes }: NonNullable<Health["services"]["sync"]>): string {
  const waiting = lanes.filter(({ rows }) => rows > 0);
  if (waiting.length === 0) return "nothing waits for it";
  const words = waiting.map(({ lane, rows, bytes, age_seconds }) => {
    const since = age_seconds > 0 ? `, the oldest for ${spanInWords(age_seconds)}` : "";
    return `${NAMES[lane] ?? lane} (${rows} ${rows === 1 ? "row" : "rows"}, about ${sizeInWords(bytes)}${since})`;
  });
  return `these wait for it: ${words.join(", ")}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time as a person reads it, from seconds. */
function spanInWords(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${seconds} s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)} h` : `${Math.floor(seconds / DAY)} days`;
}
