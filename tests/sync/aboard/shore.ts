import type { Server } from "bun";
import { hear, type Known, NOTHING_KNOWN } from "../../../src/sync/ashore/hear";
import {
  type Batch,
  type Chunk,
  readRows,
  type Section,
  type SectionHead,
  type Skipped,
  splitBody,
} from "../../../src/sync/batch/batch";
import type { Lane } from "../../../src/sync/batch/lanes";
import type { SentPosition } from "../../../src/sync/batch/positions";
import { atOnce } from "../../../src/sync/batch/steps";
import type { AssignedSet } from "../../../src/sync/down/schema";
import type { PushAnswer } from "../../../src/sync/push/schema";
import { eventually } from "../../support/expectations";

/** A stand-in for the shore: it hears pushes as the real one does, and keeps what it is told in memory. */

/** A push that came. */
export interface Push extends Omit<Batch, "sections" | "remarks"> {
  sections: Section[];
  remarks: Record<string, unknown>;
  bytes: number;
}

/** A row that was stored, in the order in which rows came. */
export interface Told {
  lane: Lane;
  epoch: string;
  number: number | null;
  kind: string;
  id: string;
  row: Record<string, unknown> | SentPosition | null;
}

export class ModelShore {
  epochs = new Map<string, Known>();
  told: Told[] = [];
  skipped: Skipped[] = [];
  pushes: Push[] = [];
  set: AssignedSet = { form: 1, tag: "0", version: 0, zones: [], rules: [] };
  refused = 0;

  /** Takes a push as the shore does. */
  take(body: Uint8Array): PushAnswer {
    const { head, frame, random } = splitBody(body);
    const { sections, remarks } = atOnce(readRows(head, Bun.zstdDecompressSync(frame), random));
    this.pushes.push({ ...head, sections, remarks, bytes: body.length });
    const { epoch, parent } = head;
    const known = this.epochs.get(epoch) ?? NOTHING_KNOWN;
    const parentLanes = parent === null ? null : (this.epochs.get(parent)?.lanes ?? {});
    const heads = head.sections.filter((section): section is SectionHead => section !== null);
    const heard = hear(head, heads, known, parentLanes);
    const lanes = { ...heard.lanes };
    const stored = new Set<Lane>();
    sections.forEach(({ lane, chunks }, at) => {
      if (!heard.follows[at]) return;
      for (const chunk of chunks) {
        this.#store(lane, epoch, chunk);
        lanes[lane] = { number: chunk.upTo, hash: chunk.hash };
        stored.add(lane);
      }
    });
    this.epochs.set(epoch, { lanes, sequence: heard.sequence });
    const hashes = heads.flatMap(({ lane }) => {
      const held = lanes[lane];
      return held && !stored.has(lane) ? [[lane, held.hash]] : [];
    });
    return {
      acknowledged: Object.fromEntries(Object.entries(lanes).map(([lane, { number }]) => [lane, number])),
      hashes: Object.fromEntries(hashes),
      unknown: heard.unknown,
      ...(heard.isStale && { overtaken_by: heard.sequence }),
      refused: this.refused,
      set: { tag: this.set.tag, version: this.set.version },
    };
  }

  #store(lane: Lane, epoch: string, { records, positions, skipped }: Chunk): void {
    for (const { number, kind, id, row } of records) this.told.push({ lane, epoch, number, kind, id, row });
    for (const position of positions)
      this.told.push({
        lane,
        epoch,
        number: position.number,
        kind: "position",
        id: position.id,
        row: position,
      });
    this.skipped.push(...skipped);
  }

  /** The rows of a kind as they are now, by their identifiers: those that are gone are not among them. */
  rows(kind: string): Map<string, Told["row"]> {
    const found = new Map<string, Told["row"]>();
    for (const each of this.told)
      if (each.kind === kind) {
        if (each.row === null) found.delete(each.id);
        else found.set(each.id, each.row);
      }
    return found;
  }

  /** The state, to go back to later as a restored shore does. */
  snapshot(): () => void {
    const [epochs, told, skipped] = [new Map(this.epochs), [...this.told], [...this.skipped]];
    return () => {
      this.epochs = new Map(epochs);
      this.told = [...told];
      this.skipped = [...skipped];
    };
  }

  /** Forgets everything. */
  forget(): void {
    this.epochs = new Map();
    this.told = [];
  }
}

/** The fate of a request instead of a proper answer: null for that. */
export type Mishap = (request: Request, answer: () => PushAnswer) => Response | Promise<Response> | null;

/** The model behind a real HTTP server on loopback. */
export class StandInShore extends ModelShore {
  readonly #server: Server<unknown>;
  /** Headers of each request, pushes or not. */
  readonly requests: { path: string; headers: Headers; at: number }[] = [];
  /** The fate of the next requests. */
  mishap: Mishap = () => null;
  /** The answer to whoever asks for the set. */
  answerSet: () => Response | Promise<Response> = () => Response.json(this.set);

  constructor() {
    super();
    this.#server = Bun.serve({ port: 0, idleTimeout: 255, fetch: (request) => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async #answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    this.requests.push({ path, headers: request.headers, at: performance.now() });
    if (path === "/v1/sync/set") return this.answerSet();
    if (path !== "/v1/sync/push") return new Response("no such path", { status: 404 });
    const body = await request.bytes();
    const mishap = this.mishap(request, () => this.take(body));
    return mishap ?? Response.json(this.take(body));
  }

  /** Waits until so many pushes have come. */
  pushed = (count: number): Promise<void> => eventually(() => this.pushes.length >= count);

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}
