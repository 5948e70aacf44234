import { changesAfter, cursorOf, newestNumber, oldestStart, startOf, watchChanges } from "../feed/journal";
import { CHANGE_TYPES, type ChangeType } from "../feed/kinds";
import { type Caller, isUnchanged, reloadCaller } from "../identity/access/caller";
import { AppError, badRequest, forbidden, unauthorized } from "../kernel/errors/errors";
import { SECOND } from "../kernel/time/clock";
import { beginHold } from "./holds";
import { isTold, RIGHTS, type ToldChange, told } from "./records";

/** A page of the feed. */
export interface ChangePage {
  changes: ToldChange[];
  /** The cursor to go on from. */
  next: string;
  /** True if nothing was left out at the end: `next` is the newest change. */
  is_complete: boolean;
}

/** The wishes of a reader of the feed. */
export interface Wanted {
  types: readonly ChangeType[];
  deviceId: string | null;
}

const maySee = (caller: Caller, type: ChangeType): boolean =>
  caller.isSuperAdmin || caller.permissions.has(RIGHTS[type]);

/** The types, separated by commas, that a caller asks for and may see. Throws 400 for an unknown one, 403 for none. */
export function visibleTypes(caller: Caller, asked: string | undefined): ChangeType[] {
  const types = asked === undefined ? CHANGE_TYPES : asked.split(",");
  const known = types.filter((type): type is ChangeType => CHANGE_TYPES.includes(type as ChangeType));
  if (known.length < types.length) throw badRequest(`types are some of ${CHANGE_TYPES.join(",")}`);
  const visible = known.filter((type) => maySee(caller, type));
  if (visible.length === 0) throw forbidden("You may see none of these types of changes");
  return visible;
}

/** The number to read on from. Throws 400 for what is no cursor of this server, and 410 where changes after it are gone. */
export function startFrom(since: string): number {
  const start = startOf(since);
  if (start === null) throw badRequest("since must be a cursor that this server gave, or now");
  if ("number" in start) return start.number;
  throw new CursorExpired();
}

/** 410: the changes after a cursor are gone. The body names where to go on, once the state was read. */
export class CursorExpired extends AppError {
  readonly next = cursorOf(newestNumber());

  constructor() {
    super(
      "CursorExpired",
      "The changes after this cursor are not kept any more; read the state anew, and go on from next",
    );
  }

  override body() {
    return { ...super.body(), next: this.next };
  }
}

/** Changes looked at in one turn of the event loop. */
const STEP = 250;
/** Changes looked at for one page: beyond that it ends early, and `next` goes on. */
const MOST_SEEN = 20_000;

/** Reads on from a number, with other work in between. */
export async function readChanges(
  from: number,
  { types, deviceId }: Wanted,
  limit: number,
): Promise<ChangePage> {
  const found: ToldChange[] = [];
  let number = from;
  for (let seen = 0; found.length < limit && seen < MOST_SEEN; seen += STEP) {
    if (seen > 0) await new Promise(setImmediate);
    if (number < oldestStart()) throw new CursorExpired();
    const some = changesAfter(number, Math.min(STEP, limit - found.length));
    for (const change of some) {
      if (!isTold(change) || !types.includes(change.kind)) continue;
      if (deviceId === null || change.device_id === deviceId) found.push(told(change));
    }
    number = some.at(-1)?.number ?? number;
    if (number >= newestNumber()) break;
  }
  return { changes: found, next: cursorOf(number), is_complete: number >= newestNumber() };
}

/** The caller, if nothing of its rights has changed. Throws 401 if the credential has ended, 403 if it lost a right. */
function stillAdmitted(caller: Caller, types: readonly ChangeType[]): Caller {
  if (isUnchanged(caller)) return caller;
  const fresh = reloadCaller(caller);
  if (!fresh) throw unauthorized("The credential has ended");
  if (!types.every((type) => maySee(fresh, type)))
    throw forbidden("You lost permissions while this was under way");
  return fresh;
}

/**
 * A page of the changes after a number; if there is none yet, the first ones that come within a time (seconds). Rights that
 * end meanwhile end the wait. Throws 503 where too many wait already.
 */
export async function pollChanges(
  caller: Caller,
  from: number,
  wanted: Wanted,
  limit: number,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<ChangePage> {
  const until = performance.now() + waitSeconds * SECOND;
  let page = await readChanges(from, wanted, limit);
  if (page.changes.length > 0 || waitSeconds === 0) return page;
  const endHold = beginHold(caller.id);
  try {
    while (page.changes.length === 0 && performance.now() < until && !signal.aborted) {
      await nextChange(until - performance.now(), signal);
      stillAdmitted(caller, wanted.types);
      page = await readChanges(startFrom(page.next), wanted, limit);
    }
    return page;
  } finally {
    endHold();
  }
}

/** Resolves after the next commit that holds changes, after so many milliseconds, or when the signal ends. */
function nextChange(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const unwatch = watchChanges(end);
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}

/** Seconds between two comments of a stream that has nothing to tell. */
const COMMENT_SECONDS = 15;
/** Changes that a stream reads at once. */
const STREAM_PAGE = 200;

/**
 * The changes after a number as server-sent events (HTML Standard, section 9.2), each with its cursor as `id`, for as long as
 * the reader reads and keeps its rights. Throws 503 where too many read already.
 */
export function streamChanges(
  caller: Caller,
  from: number,
  wanted: Wanted,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const endHold = beginHold(caller.id);
  const encoder = new TextEncoder();
  let number = from;
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    endHold();
  };
  signal.addEventListener("abort", end);
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(": changes\n\n")),
    // Called when the reader has taken what was there: a slow one makes nothing pile up.
    async pull(controller) {
      try {
        for (;;) {
          if (ended.signal.aborted) return controller.close();
          stillAdmitted(caller, wanted.types);
          const page = await readChanges(number, wanted, STREAM_PAGE);
          number = startFrom(page.next);
          if (page.changes.length > 0)
            return controller.enqueue(encoder.encode(page.changes.map(toEvent).join("")));
          if (!page.is_complete) continue;
          const before = performance.now();
          await nextChange(COMMENT_SECONDS * SECOND, ended.signal);
          if (performance.now() - before >= COMMENT_SECONDS * SECOND)
            return controller.enqueue(encoder.encode(":\n\n"));
        }
      } catch (error) {
        end();
        // A reader that resumes is told by the status: the right has ended, or the changes are gone.
        if (error instanceof AppError) controller.close();
        else controller.error(error);
      }
    },
    cancel: end,
  });
}

const toEvent = ({ cursor, type, data }: ToldChange): string =>
  `id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
