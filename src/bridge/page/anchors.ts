import { effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { all } from "./fleet";
import { Heard } from "./heard";
import { hear, hearMessages, lineState } from "./live";
import { may, session } from "./session";
import { managesAny, mayBy } from "./shares";

/** The anchor watches of all devices that the user may see them of, by device. */

export type AnchorWatch = Schemas["AnchorWatch"];

export const anchorWatches = signal<ReadonlyMap<string, AnchorWatch>>(new Map());

const PAGE = 100;
/** Milliseconds after which the watches are read again: nobody is told of one that somebody else has set. */
const REFRESH = 60_000;
/** The same where no socket brings their updates. */
const REFRESH_BY_REQUESTS = 10_000;

const mayRead = (): boolean => may("alerts:read") || managesAny();

const heard = new Heard<AnchorWatch>(({ device_id }) => device_id);

function note(device: string, watch: AnchorWatch | null): void {
  heard.note(device, watch);
  const left = new Map(anchorWatches.peek());
  if (watch) left.set(device, watch);
  else left.delete(device);
  anchorWatches.value = left;
}

/** Reads all watches anew. Whoever sets or ends one calls it. */
export async function readAnchorWatches(): Promise<void> {
  if (!mayRead()) return;
  try {
    const newest = await heard.read(() =>
      all((page) => call(() => api.GET("/v1/anchor-watches", { params: { query: { page, limit: PAGE } } }))),
    );
    if (newest) anchorWatches.value = newest;
  } catch {
    // The watches that are known stay until they are read again.
  }
}

/** The devices with a watch whose channels the user may hear, as a text that is equal as long as they are the same. */
const watched = (): string =>
  [...anchorWatches.value.keys()]
    .filter((id) => mayBy("gps:read", id, "now"))
    .sort()
    .join(" ");

/** Begins to follow the watches: each by the channel of its device. */
export function followAnchorWatches(): void {
  effect(() => {
    if (session.value !== "open") return;
    if (!mayRead()) {
      anchorWatches.value = new Map();
      return;
    }
    // An update that came before its device was subscribed to, or while the connection was lost, isn't sent again: each time that
    // the connection carries all subscriptions, the watches are read.
    const line = lineState.value;
    void readAnchorWatches();
    const timer = setInterval(
      () => {
        if (document.visibilityState === "visible") void readAnchorWatches();
      },
      line === "polling" ? REFRESH_BY_REQUESTS : REFRESH,
    );
    return () => clearInterval(timer);
  });
  let known = "";
  let ends: (() => void)[] = [];
  effect(() => {
    const devices = session.value === "open" ? watched() : "";
    if (devices === known) return;
    known = devices;
    for (const end of ends) end();
    ends = devices
      .split(" ")
      .filter(Boolean)
      .map((id) => hear(`gps:${id}`, { onChange: () => {}, onReset: () => void readAnchorWatches() }));
  });
  hearMessages((message) => {
    if (message.type !== "anchorUpdate") return;
    const { data } = message;
    if ("is_deleted" in data) note(data.device_id ?? data.id, null);
    else note(data.device_id, data);
  });
}
