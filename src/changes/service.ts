import { changesAfter, cursorOf, newestNumber, oldestStart, startOf } from "../feed/journal";
import { CHANGE_TYPES, type ChangeType } from "../feed/kinds";
import type { Caller } from "../identity/access/caller";
import { seesDevice } from "../identity/access/visible-devices";
import { shareReadTransaction } from "../kernel/db/reads";
import { AppError, badRequest, forbidden } from "../kernel/errors/errors";
import { SECOND } from "../kernel/time/clock";
import { Hold } from "./holds";
import { isOf, isTold, RIGHTS, told } from "./records";
import { STEP, stepOf } from "./turns";

/** A change as a page has it. Its data are JSON already: many together would hold everything else up. */
interface PageChange {
  cursor: string;
  type: ChangeType;
  data: string;
}

/** A page of the feed. */
export interface ChangePage {
  changes: PageChange[];
  /** The number to go on from. */
  next: number;
  /** True if nothing was left out at the end: `next` is the newest change. */
  is_complete: boolean;
}

/** The wishes of a reader of the feed. */
export interface Wanted {
  types: readonly ChangeType[];
  deviceId: string | null;
}

const isOfPositions = (type: ChangeType): boolean => RIGHTS[type] === "gps:read";

/** Beside those who hold the right: of the positions of one device, also a user with whom that is shared. */
const maySee = (caller: Caller, type: ChangeType, deviceId: string | null): boolean =>
  caller.isSuperAdmin ||
  caller.permissions.has(RIGHTS[type]) ||
  (deviceId !== null && isOfPositions(type) && seesDevice(caller, "gps:read", "now", deviceId));

/** The types, separated by commas, that a caller asks for and may see. Throws 400 for an unknown one, 403 for none. */
function visibleTypes(caller: Caller, asked: string | undefined, deviceId: string | null): ChangeType[] {
  const types = asked === undefined ? CHANGE_TYPES : asked.split(",");
  const known = types.filter((type): type is ChangeType => CHANGE_TYPES.includes(type as ChangeType));
  if (known.length < types.length) throw badRequest(`types are some of ${CHANGE_TYPES.join(",")}`);
  const visible = known.filter((type) => maySee(caller, type, deviceId));
  if (visible.length === 0) throw forbidden("You may see none of these types of changes");
  return visible;
}

/** The wishes of a caller, as far as it may see them. Throws 400 for an unknown type, 403 where it may see none. */
export function wantedBy(caller: Caller, asked: { types?: string; device_id?: string }): Wanted {
  const deviceId = asked.device_id ?? null;
  return { types: visibleTypes(caller, asked.types, deviceId), deviceId };
}

/** True if a caller may see of a device the present alone. */
const seesPresentAlone = (caller: Caller, { types, deviceId }: Wanted): boolean =>
  deviceId !== null && types.some(isOfPositions) && !seesDevice(caller, "gps:read", "history", deviceId);

/** The number to read on from. Throws 400 for what is no cursor of this server, and 410 where changes after it are gone. */
export function startFrom(caller: Caller, since: string, wanted: Wanted): number {
  const start = startOf(since);
  if (start === null) throw badRequest("since must be a cursor that this server gave, or now");
  if (!("number" in start)) throw new CursorExpired();
  if (start.number < newestNumber() && seesPresentAlone(caller, wanted)) throw new CursorExpired();
  return start.number;
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

/** Changes looked at for one page: beyond that it ends early, and `next` goes on. */
const MOST_SEEN = 20_000;
/** Characters of data of one page, about: the same. */
const MOST_DATA = 1024 * 1024;

/** Reads on from a number, with other work in between. Throws 410 if changes after it are gone. */
export async function readChanges(
  from: number,
  { types, deviceId }: Wanted,
  limit: number,
  credentialId: string,
): Promise<ChangePage> {
  const changes: PageChange[] = [];
  let number = from;
  let size = 0;
  const isWhole = () => changes.length === limit || size > MOST_DATA || number - from >= MOST_SEEN;
  do {
    await stepOf(Math.min(newestNumber() - number, limit), credentialId);
    shareReadTransaction();
    if (number < oldestStart()) throw new CursorExpired();
    for (const change of changesAfter(number, STEP)) {
      number = change.number;
      if (!isTold(change) || !types.includes(change.kind)) continue;
      if (deviceId !== null && !isOf(change, deviceId)) continue;
      const { cursor, type, data } = told(change);
      const text = JSON.stringify(data);
      changes.push({ cursor, type, data: text });
      size += text.length;
      if (isWhole()) break;
    }
  } while (number < newestNumber() && !isWhole());
  return { changes, next: number, is_complete: number >= newestNumber() };
}

/** Throws 401 if the credential of a held request has ended, 403 if it lost a right. */
function checkRights(hold: Hold, { types, deviceId }: Wanted): void {
  const caller = hold.caller();
  if (!types.every((type) => maySee(caller, type, deviceId)))
    throw forbidden("You lost permissions while this was under way");
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
  let page = await readChanges(from, wanted, limit, caller.id);
  if (page.changes.length > 0 || waitSeconds === 0) return page;
  const hold = new Hold(caller, signal);
  try {
    for (;;) {
      const left = until - performance.now();
      if (page.changes.length > 0 || left <= 0 || hold.isEnded) return page;
      if (page.is_complete) await hold.wait(left);
      checkRights(hold, wanted);
      page = await readChanges(page.next, wanted, limit, caller.id);
    }
  } finally {
    hold.end();
  }
}

/** A page as its answer has it. */
export function textOfPage({ changes, next, is_complete }: ChangePage): string {
  const list = changes.map(
    ({ cursor, type, data }) => `{"cursor":"${cursor}","type":"${type}","data":${data}}`,
  );
  return `{"changes":[${list.join(",")}],"next":"${cursorOf(next)}","is_complete":${is_complete}}`;
}

/** Seconds between two comments of a stream that has nothing to tell. */
export const COMMENT_SECONDS = 15;
const COMMENT_INTERVAL = COMMENT_SECONDS * SECOND;
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
  const hold = new Hold(caller, signal);
  const encoder = new TextEncoder();
  let number = from;
  let toldAt = performance.now();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(": changes\n\n")),
    // Called when the reader has taken what was there: a slow one makes nothing pile up.
    async pull(controller) {
      try {
        for (;;) {
          if (hold.isEnded) return controller.close();
          checkRights(hold, wanted);
          const page = await readChanges(number, wanted, STREAM_PAGE, caller.id);
          number = page.next;
          const silentFor = performance.now() - toldAt;
          if (page.changes.length > 0 || silentFor >= COMMENT_INTERVAL) {
            toldAt = performance.now();
            return controller.enqueue(encoder.encode(page.changes.map(toEvent).join("") || ":\n\n"));
          }
          if (page.is_complete) await hold.wait(COMMENT_INTERVAL - silentFor);
        }
      } catch (error) {
        hold.end();
        // A reader that resumes is told by the status: the right has ended, or the changes are gone.
        if (error instanceof AppError) controller.close();
        else controller.error(error);
      }
    },
    cancel: () => hold.end(),
  });
}

const toEvent = ({ cursor, type, data }: PageChange): string =>
  `id: ${cursor}\nevent: ${type}\ndata: ${data}\n\n`;
