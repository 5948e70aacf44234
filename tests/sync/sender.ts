import { randomBytes } from "node:crypto";
import {
  type Batch,
  type Chunk,
  joinBody,
  NO_HASH,
  type Remarks,
  type Section,
  type SentRecord,
  type Skipped,
  writeRows,
} from "../../src/sync/batch/batch";
import type { Lane } from "../../src/sync/batch/lanes";
import type { SentPosition } from "../../src/sync/batch/positions";
import { atOnce } from "../../src/sync/batch/steps";
import type { Answer, Token } from "../support/api";
import { expectStatus } from "../support/expectations";
import type { TestServer } from "../support/server";

/** A box as the shore meets it: batches made by the codec, and the places of its lanes. */

const hex = (bytes: number) => randomBytes(bytes).toString("hex");

/** A new identifier, of version 7 at a time. */
export function newUuid(time = Date.now()): string {
  const stamp = time.toString(16).padStart(12, "0");
  const rest = hex(10);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

/** The body of a batch. */
export function bodyOf(batch: Batch): Uint8Array<ArrayBuffer> {
  const { plain, random } = atOnce(writeRows(batch));
  return Uint8Array.from(joinBody(batch, Bun.zstdCompressSync(plain), plain.length, random).body);
}

/** A stretch of a lane; its numbers are given by the sender. */
export interface Stretch {
  records?: Omit<SentRecord, "number">[];
  positions?: Omit<SentPosition, "number">[];
  skipped?: Skipped[];
}

interface Place {
  number: number;
  hash: string;
  begins: boolean;
}

export type SentLanes = Partial<Record<Lane, Stretch | Stretch[]>>;

export class Sender {
  readonly server: TestServer;
  token: Token;
  epoch = hex(8);
  parent: string | null = null;
  sequence = 0;
  readonly places = new Map<Lane, Place>();

  constructor(server: TestServer, token: Token) {
    this.server = server;
    this.token = token;
  }

  place(lane: Lane): Place {
    return this.places.get(lane) ?? { number: 0, hash: NO_HASH, begins: true };
  }

  /** The next batch, with these rows behind what was acknowledged of each lane. */
  batch(lanes: SentLanes, fields: Partial<Batch> = {}): Batch {
    return {
      epoch: this.epoch,
      parent: this.parent,
      sequence: ++this.sequence,
      clock: this.server.time,
      backlog: { rows: 0, bytes: 0, ageSeconds: 0 },
      version: "0.9.0",
      remarks: {} as Remarks,
      sections: Object.entries(lanes).map(([lane, stretches]) =>
        this.#section(lane as Lane, [stretches].flat()),
      ),
      ...fields,
    };
  }

  #section(lane: Lane, stretches: Stretch[]): Section {
    const { number: from, hash, begins } = this.place(lane);
    let last = from;
    const chunks = stretches.map(({ records = [], positions = [], skipped = [] }): Chunk => {
      const numbered = records.map((record) => ({ ...record, number: ++last }));
      const placed = positions.map((position) => ({ ...position, number: ++last }));
      if (numbered.length + placed.length === 0) last++;
      return { records: numbered, positions: placed, skipped, upTo: last, hash: hex(6) };
    });
    return { lane, begins, from, hash, chunks };
  }

  post(body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.server.post("/v1/sync/push", {
      token: this.token,
      raw: body,
      headers: { "content-type": "application/octet-stream", ...headers },
    });
  }

  /** Sends a batch and moves the lanes by the answer, as a box that finds its own hashes in it. */
  async deliver(batch: Batch) {
    const { body } = expectStatus(await this.post(bodyOf(batch)), 200);
    this.settle(batch, body);
    return body;
  }

  settle(
    { sections }: Batch,
    answer: { acknowledged: Partial<Record<Lane, number>>; overtaken_by?: number },
  ): void {
    const { acknowledged, overtaken_by = 0 } = answer;
    this.sequence = Math.max(this.sequence, overtaken_by);
    for (const { lane, from, hash, chunks } of sections) {
      const number = acknowledged[lane];
      const reached = [{ upTo: from, hash }, ...chunks].find(({ upTo }) => upTo === number);
      if (number !== undefined && reached)
        this.places.set(lane, { number, hash: reached.hash, begins: false });
    }
  }

  /** Sends rows in the next batch. */
  send(lanes: SentLanes, fields: Partial<Batch> = {}) {
    return this.deliver(this.batch(lanes, fields));
  }
}
