import { CHANGE_TYPES } from "../feed/kinds";
import { ErrorBody } from "../kernel/http/answers";
import { characters, oneOf, out, queryInteger, record, t, uuid } from "../kernel/http/schema";

const EXAMPLE_CURSOR = "5f1c9a02b3d4e5f6-1204311";

export const DEFAULT_LIMIT = 500;
const MOST = 5_000;
const LONGEST_WAIT = 60;

const selection = {
  types: t.Optional(
    characters({
      minLength: 1,
      maxLength: 200,
      description: `Only these types, separated by commas: ${CHANGE_TYPES.join(", ")}. Those that the caller may not see are left out`,
      examples: ["gpsUpdate,tripUpdate"],
    }),
  ),
  device_id: t.Optional(uuid("Only changes of this device")),
};

const since = (description: string) =>
  characters({ minLength: 1, maxLength: 64, description, examples: [EXAMPLE_CURSOR] });

export const ChangesQuery = t.Object({
  since: since("The cursor up to which everything is known, or `now`"),
  ...selection,
  limit: t.Optional(
    queryInteger({
      minimum: 1,
      maximum: MOST,
      default: DEFAULT_LIMIT,
      description: "Most changes of an answer",
      examples: [DEFAULT_LIMIT],
    }),
  ),
  wait_seconds: t.Optional(
    queryInteger({
      minimum: 0,
      maximum: LONGEST_WAIT,
      default: 0,
      description: "Waits so long for a first change, where there is none yet",
      examples: [30],
    }),
  ),
});

export const StreamQuery = t.Object({
  since: t.Optional(
    since(
      "The cursor up to which everything is known, or `now`, which it is if left out. `Last-Event-ID` comes first",
    ),
  ),
  ...selection,
});

const cursor = (description: string) => out.string(description, EXAMPLE_CURSOR);

const ToldChange = record(
  "Change",
  {
    cursor: cursor("Whoever has this cursor knows of this change and of all before"),
    type: oneOf(CHANGE_TYPES, "The message that tells of it"),
    data: t.Object(
      {},
      {
        additionalProperties: true,
        description:
          "The data of that message, with the record as it is now; or `id`, `device_id` and `is_deleted` true where it is gone",
      },
    ),
  },
  "A numbered change",
);

export const ChangePage = record(
  "Changes",
  {
    changes: t.Array(ToldChange, { description: "The changes, in order" }),
    next: cursor("The cursor to go on from"),
    is_complete: out.boolean("True if `next` is the newest change"),
  },
  "Changes after a cursor",
);

export const Expired = t.Object(
  { ...ErrorBody.properties, next: cursor("The cursor to go on from, once the state was read") },
  { title: "CursorExpiredBody", description: "The changes after the cursor are gone" },
);
