import type { KeyCaller } from "../identity/access/caller";
import { PermissionSet } from "../identity/access/permissions";
import { subscribe } from "../kernel/db/events";
import { shareReadTransaction } from "../kernel/db/reads";
import { logFailure } from "../kernel/errors/trouble";
import { listeningServer } from "../kernel/http/client";
import { SECOND } from "../kernel/time/clock";
import { type Row, toGpsPoint, toldPoint } from "../tracking/ingest/columns";
import { type Link, linkById } from "../tracking/links/standing";
import { newestShown, type Place, stepFrom } from "../tracking/shared/positions";
import { shownBy } from "../tracking/shared/service";
import type { Owner } from "../tracking/tracks/fixes";
import { CLOSE, close, sockets, topicOfLink } from "./connections";
import { published } from "./figures";

/** Connections by links: each hears what its link shows, and nothing else. */

/** Most connections by one link. */
export const MOST_OF_LINK = 20;

/** A link as connections are counted and limited: without any right of its own, until its end. */
export const callerOfLink = ({ id, expiresAt }: Link): KeyCaller => ({
  ...{ kind: "key", id, tokenHash: "", expiresAt, usedAt: 0 },
  ...{ permissions: new PermissionSet([]), isSuperAdmin: false },
  ...{ userId: null, isSystem: false, deviceId: null },
});

/** A link that somebody listens to, and the places up to which was told. */
interface Heard {
  isDelayed: boolean;
  owners: { owner: Owner; place: Place }[];
}
const heard = new Map<string, Heard>();

const isHeard = (id: string): boolean => (listeningServer()?.subscriberCount(topicOfLink(id)) ?? 0) > 0;

/** Tells from now on what a link shows. */
export function hearLink(id: string): void {
  if (heard.has(id)) return;
  const link = linkById(id);
  if (!link) return;
  const begun: Heard = { isDelayed: link.delay > 0, owners: [] };
  heard.set(id, begun);
  const begin = async () => {
    for (const { owner } of shownBy(link)) {
      const { place } = await newestShown(link, owner);
      begun.owners.push({ owner, place });
    }
    tell(id);
  };
  begin().catch((error) => {
    heard.delete(id);
    logFailure("the positions of a link could not be told", error);
  });
}

/** Sends what a link shows since the last time; a page in each turn of the event loop. */
function tell(id: string): void {
  const listening = heard.get(id);
  if (!listening) return;
  if (!isHeard(id)) {
    heard.delete(id);
    return;
  }
  shareReadTransaction();
  const link = linkById(id);
  if (!link) {
    closeLink(id);
    return;
  }
  let isDone = true;
  for (const each of listening.owners) {
    const { shown, place, isEnd } = stepFrom(link, each.owner, each.place);
    each.place = place;
    for (const row of shown) send(id, row);
    isDone &&= isEnd;
  }
  if (!isDone) setImmediate(() => tell(id));
}

function send(id: string, row: Row): void {
  const data = { ...toldPoint(toGpsPoint(row)), id: null, trip_id: null };
  listeningServer()?.publish(topicOfLink(id), JSON.stringify({ type: "gpsUpdate", data }));
  published.add(1);
}

/** Closes the connections by a link. */
function closeLink(id: string): void {
  heard.delete(id);
  for (const socket of sockets) if (socket.data.linkId === id) close(socket, CLOSE.credentialEnded);
}

/** Closes the connections by links that have ended, or whose makers may not see so much any more. */
function closeEnded(): void {
  const ids = new Set<string>();
  for (const { data } of sockets) if (data.linkId !== null) ids.add(data.linkId);
  for (const id of ids) if (!linkById(id)) closeLink(id);
}

/** Links to be told of at the end of this turn: a batch records many positions at once. */
const due = new Set<string>();

function noteDue(id: string): void {
  if (due.size === 0)
    setImmediate(() => {
      const ids = [...due];
      due.clear();
      for (const each of ids) tell(each);
    });
  due.add(id);
}

const isOf = (owner: Owner, deviceId: string | null, tripId: string | null): boolean =>
  "device" in owner ? owner.device === deviceId : owner.trip === tripId;

/** Begins to tell; returns the function that ends it. */
export function startLinks(): () => void {
  subscribe("gps.recorded", ({ point: { device_id, trip_id } }) => {
    for (const [id, { owners, isDelayed }] of heard)
      if (!isDelayed && owners.some(({ owner }) => isOf(owner, device_id, trip_id))) noteDue(id);
  });
  subscribe("share-links.ended", ({ ids }) => ids.forEach(closeLink));
  subscribe("access.changed", closeEnded);
  const delayed = setInterval(() => {
    for (const [id, { isDelayed }] of heard) if (isDelayed) tell(id);
  }, SECOND);
  return () => clearInterval(delayed);
}
