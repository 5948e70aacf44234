import type { Static, TObject, TOptional, TSchema } from "@sinclair/typebox";
import { out, record, t } from "../../kernel/http/schema";
import { LANES, type Lane } from "../batch/lanes";

/**
 * The answer to a push. The shore documents by this schema what it says, and the box checks by it what it hears: fields and lanes
 * that a newer shore adds are left alone.
 */

/** The type of the body of a push. */
export const BATCH_TYPE = "application/octet-stream";

const perLane = <T extends TSchema>(of: T, description: string, examples: object[]) =>
  t.Partial(t.Object(Object.fromEntries(LANES.map((lane) => [lane, of]))), {
    description,
    examples,
  }) as unknown as TObject<Record<Lane, TOptional<T>>>;

const number = t.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "A number of the lane",
  examples: [88_120],
});
const hash = t.String({
  pattern: "^[0-9a-f]{12}$",
  description: "The hash of a row",
  examples: ["5f2b90c4e1a7"],
});

export const PushAnswer = record(
  "PushAnswer",
  {
    acknowledged: perLane(
      number,
      "For each lane that is known in this epoch the highest number that is held without a gap",
      [{ alerts: 1_204, backlog: 88_120 }],
    ),
    hashes: t.Optional(
      perLane(
        hash,
        "The hash of the row of that number, for each lane of the request of which nothing was stored",
        [{ backlog: "5f2b90c4e1a7" }],
      ),
    ),
    unknown: t.Optional(
      t.Array(t.String({ maxLength: 32, description: "A lane", examples: ["backlog"] }), {
        maxItems: 32,
        description: "Lanes that can't go on, since nothing is known here of where they were",
        examples: [[]],
      }),
    ),
    overtaken_by: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          "The sequence of a later request that was heard before this one, of which nothing was stored: the next one has to have a higher sequence",
        examples: [33_554_435],
      }),
    ),
    refused: t.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        "Rows of this request that were refused, such as one whose identifier is another box's: they count as held",
      examples: [0],
    }),
    set: t.Object(
      {
        tag: t.String({
          minLength: 1,
          maxLength: 64,
          description: "Name of the newest set: another one as soon as anything in it changes",
          examples: ["9f86d081884c7d65"],
        }),
        version: out.integer("Its version", 3),
      },
      { description: "The zones and alert rules that are handed to this box, at `/v1/sync/set`" },
    ),
  },
  "What the shore holds of a box after a push",
);
export type PushAnswer = Static<typeof PushAnswer>;
