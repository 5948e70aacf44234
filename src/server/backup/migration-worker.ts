import { configureLog, type LogFormat, type LogLevel, log } from "../../kernel/logs/log";
import { SECOND } from "../../kernel/time/clock";

/** Shows the progress of migrations from a thread of its own: the other one is busy in SQLite. */

/** The first message. */
export interface MigrationOrder {
  isTerminal: boolean;
  level: LogLevel;
  format: LogFormat | null;
}

/** Each further message. */
export interface MigrationState {
  /** The migration, or what follows it. */
  what: string;
  /** Records, where the work goes in steps. */
  done?: number;
  total?: number;
}

declare const self: { onmessage: ((event: MessageEvent<MigrationOrder | MigrationState>) => void) | null };

let state: MigrationState | null = null;
let began = performance.now();

const seconds = () => Math.round((performance.now() - began) / SECOND);
const records = ({ done, total }: MigrationState) =>
  done === undefined || total === undefined
    ? null
    : `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;

function showOnTerminal(): void {
  if (state === null) return;
  const parts = [records(state), `${seconds()} s`].filter((part) => part !== null);
  process.stderr.write(`\r\x1b[K${state.what}: ${parts.join(", ")}`);
}

function logState(): void {
  if (state === null) return;
  const progress = records(state);
  log.info("the database is being migrated", {
    migration: state.what,
    ...(progress !== null && { progress }),
    seconds: seconds(),
  });
}

self.onmessage = ({ data }) => {
  if ("isTerminal" in data) {
    configureLog(data.level, data.format);
    if (data.isTerminal) setInterval(showOnTerminal, SECOND / 2);
    else setInterval(logState, 10 * SECOND);
    return;
  }
  if (data.what !== state?.what) began = performance.now();
  state = data;
};
