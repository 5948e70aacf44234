import { effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { hear, hearMessages } from "./live";
import { may, session } from "./session";
import { managesAny } from "./shares";

/** The anchor watches of all devices that the user may see them of, by device. */

export type AnchorWatch = Schemas["AnchorWatch"];

export const anchorWatches = signal<ReadonlyMap<string, AnchorWatch>>(new Map());

const PAGE = 100;
/** Milliseconds after which the watches are read again: nobody is told of one that somebody else has set. */
const REFRESH = 60_000;

const mayRead = (): boolean => may("alerts:read") || managesAny();

/** Reads all watches anew. Whoever sets or ends one calls it. */
export async function readAnchorWatches(): Promise<void> {
  if (!mayRead()) return;
  try {
    const { data } = await call(() => api.GET("/v1/anchor-watches", { params: { query: { limit: PAGE } } }));
    anchorWatches.value = new Map(data.map((watch) => [watch.device_id, watch]));
  } catch {
    // The watches that are known stay until they are read again.
  }
}

/** The devices with a watch, as a text that is equal as long as they are the same. */
const watched = (): string => [...anchorWatches.value.keys()].sort().join(" ");

/** Begins to follow the watches: each by the channel of its device. */
export function followAnchorWatches(): void {
  effect(() => {
    if (session.value !== "open" || !mayRead()) return;
    void readAnchorWatches();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void readAnchorWatches();
    }, REFRESH);
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
    const left = new Map(anchorWatches.peek());
    if ("is_deleted" in data) left.delete(data.device_id ?? data.id);
    else left.set(data.device_id, data);
    anchorWatches.value = left;
  });
}
