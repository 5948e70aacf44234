import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, type Schemas } from "./api";
import { inLanguages } from "./language";
import { may, session } from "./session";
import { Choices } from "./ui/choices";

/** Boats whose servers send here, and the server ashore that hands zones and rules to this one. */

export type Box = Schemas["Box"];

const words = inLanguages({
  en: {
    owned: (box: string) => `This comes from the boat “${box}”, and is changed aboard.`,
    ownedByOne: "This comes from a boat, and is changed aboard.",
    shores: "The server ashore has handed this down. While the boat is linked with it, it is changed there.",
    handTo: "Boats that watch it too",
    none: "No boat sends to this server yet.",
  },
  de: {
    owned: (box: string) => `Das kommt vom Boot „${box}“ und wird an Bord geändert.`,
    ownedByOne: "Das kommt von einem Boot und wird an Bord geändert.",
    shores:
      "Der Server an Land hat das mitgegeben. Solange das Boot mit ihm verbunden ist, wird es dort geändert.",
    handTo: "Boote, die auch darauf achten",
    none: "Noch sendet kein Boot an diesen Server.",
  },
});

/** All boats, by name; empty until they are read, and for users who don't manage them. */
export const boxes = signal<readonly Box[]>([]);

const PAGE = 100;

/** Reads the boats anew. Whoever changes one calls it. */
export async function readBoxes(): Promise<readonly Box[]> {
  if (!may("sync:manage")) return [];
  const found: Box[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, pagination } = await call(() =>
      api.GET("/v1/sync/boxes", { params: { query: { page, limit: PAGE } } }),
    );
    found.push(...data);
    pages = pagination.total_pages;
  }
  boxes.value = found.sort((a, b) => a.name.localeCompare(b.name));
  return boxes.value;
}

/** Reads the boats once a part of the page that names them is shown. */
function useBoxes(): readonly Box[] {
  const isOpen = session.value === "open";
  useEffect(() => {
    // Without their names it is said that there is a boat.
    if (isOpen) void readBoxes().catch(() => {});
  }, [isOpen]);
  return boxes.value;
}

/** Says whose a record is that can't be changed here; nothing for one of this server. */
export function OwnedNote({ boxId }: { boxId: string | null }): JSX.Element | null {
  const known = useBoxes();
  if (boxId === null) return null;
  const box = known.find(({ id }) => id === boxId);
  return <p class="notice">{box ? words().owned(box.name) : words().ownedByOne}</p>;
}

/** Says that a zone or a rule is the shore's. */
export function ShoresNote({ isFromShore }: { isFromShore: boolean }): JSX.Element | null {
  return isFromShore ? <p class="notice">{words().shores}</p> : null;
}

/** The boats that a zone or a rule is handed to; nothing for users who hand out nothing, and where there are none. */
export function BoxChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}): JSX.Element | null {
  const known = useBoxes();
  if (!may("sync:manage") || known.length === 0) return null;
  return (
    <Choices legend={words().handTo} none={words().none} of={known} chosen={chosen} onChange={onChange} />
  );
}
