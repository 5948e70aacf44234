import { type AnyElysia, Elysia } from "elysia";
import { binary } from "../../kernel/http/answers";
import { ofKind, out, record, t } from "../../kernel/http/schema";
import { BODIES } from "./bodies";
import { doorGuard } from "./guard";
import { type Delivery, type DoorName, visit } from "./service";

const Result = record("OverlandResult", { result: out.string("Always `ok`", "ok") }, "The batch is done");

const Counts = record(
  "IngestCounts",
  {
    stored: out.integer("Positions that were stored", 2),
    duplicates: out.integer("Positions for whose second the device has one already", 0),
    rejected: out.integer("Positions that can never be stored: they are done too", 0),
  },
  "The fate of the positions of a message",
);

const Messages = ofKind<object[]>("Ignorable", {
  description: "Messages for the app: none, or the zones",
  examples: [[]],
  "x-shown": { type: "array", items: { type: "object", additionalProperties: true } },
});

const Nothing = binary("text/plain", "Nothing, or to a person who opens the address what it is for");

interface Door {
  name: DoorName;
  path: string;
  methods: readonly ("GET" | "POST")[];
  /** In place of the name in the document. */
  operation: string;
  app: string;
  description: string;
  body: keyof typeof BODIES;
  response: ReturnType<typeof ofKind> | typeof Result | typeof Counts;
  takesApiKey?: true;
}

const DOORS: readonly Door[] = [
  {
    name: "owntracks",
    path: "/owntracks",
    methods: ["POST"],
    operation: "OwnTracks",
    app: "OwnTracks",
    description:
      "OwnTracks in HTTP mode. Other types of messages than `location` are left alone. The answer holds the active zones (`cmd`, `setWaypoints`) if the tracker has `send_zones`, when they have changed since it was told, and every hour.",
    body: "ownTracks",
    response: Messages,
  },
  {
    name: "osmand",
    path: "/osmand",
    methods: ["GET", "POST"],
    operation: "OsmAnd",
    app: "Traccar Client or OsmAnd",
    description:
      "Traccar Client of all generations, OsmAnd, and all else that speaks Traccar's OsmAnd protocol: `lat`, `lon`, `timestamp`, `speed`, `bearing`, `altitude`, `accuracy`, `hdop`, `batt` in the query or a form, or JSON. A tracker for `osmand` sends its speed in metres a second and the accuracy as `hdop`, any other credential knots.",
    body: "osmAnd",
    response: Nothing,
  },
  {
    name: "overland",
    path: "/overland",
    methods: ["POST"],
    operation: "Overland",
    app: "Overland",
    description: "Overland, which keeps a batch until it is answered `ok`.",
    body: "overland",
    response: Result,
  },
  {
    name: "dawarich",
    path: "/dawarich/api/v1/overland/batches",
    methods: ["POST"],
    operation: "Dawarich",
    app: "GPSLogger in its Dawarich mode",
    description:
      "GPSLogger from version 136 on, in its mode for Dawarich servers, which keeps what it could not send. The token may stand in the query as `api_key`, here alone.",
    body: "dawarich",
    response: Result,
    takesApiKey: true,
  },
  {
    name: "gpslogger",
    path: "/gpslogger",
    methods: ["GET", "POST"],
    operation: "GpsLogger",
    app: "GPSLogger",
    description:
      "GPSLogger's custom URL: `lat`, `lon`, `timestamp`, `altitude`, `heading`, `speed_mps`, `hdop`, `vdop`, `pdop`, `accuracy`, `battery` in the query, a form or JSON.",
    body: "gpsLogger",
    response: Nothing,
  },
  {
    name: "traccar",
    path: "/traccar",
    methods: ["POST"],
    operation: "Traccar",
    app: "a Traccar server",
    description:
      "A Traccar server that forwards positions as JSON. A tracker for `traccar_server` brings those of all active devices, found by Traccar's `uniqueId` as their `external_id`; any other credential those of its own device. Unknown ones are counted and left alone.",
    body: "traccar",
    response: Nothing,
  },
  {
    name: "generic",
    path: "/generic",
    methods: ["POST"],
    operation: "Generic",
    app: "any program",
    description: "Positions in a plain form, for programs of your own.",
    body: "generic",
    response: Counts,
  },
];

const DONE =
  "What can never be stored (no fix, no time, too far in the future, broken JSON, an unknown type, more than 2 MiB) counts as done, since apps send again whatever is answered otherwise: `GET /v1/devices/{id}/trackers/{tracker_id}` tells of it. Duplicates are done too. A credential that is refused is 401; a limit, a lock or a full disk is 503 with `Retry-After`.";

const TokenParams = t.Object({
  token: t.String({
    description: "The tracker's token, for apps that can send it nowhere else",
    examples: ["flt_3q2-7w8xPZ0kq1L9fY6mB4tVhJ2sNcR5dXgUeA7iOwE"],
  }),
});

/** Adds a door under its path, and under the same with a token behind it. */
function open(app: AnyElysia, method: "GET" | "POST", { body, takesApiKey, ...door }: Door): void {
  const verb = method === "GET" ? "Get" : "Post";
  const isOnly = door.methods.length === 1;
  const name = `take${isOnly ? "" : verb}From${door.operation}`;
  const common = {
    tracker: takesApiKey ? "token or api_key" : "token",
    response: { 200: door.response },
  };
  const detail = {
    summary: `Take positions from ${door.app}`,
    description: `${door.description} ${DONE}`,
    ...(method === "POST" && { "x-body": BODIES[body] }),
  };
  // Without the context as a whole: Elysia reads this source, and would parse the body for it.
  const take = ({ request, delivery }: Record<string, unknown>) =>
    visit(door.name, { request: request as Request, delivery: delivery as Delivery });
  app.route(method, door.path, take, { ...common, detail: { ...detail, operationId: name } } as object);
  app.route(method, `${door.path}/:token`, take, {
    ...common,
    params: TokenParams,
    detail: {
      ...detail,
      operationId: `${name}ByAddress`,
      summary: `Take from ${door.app}, token in the path`,
    },
  } as object);
}

export const doorRoutes = new Elysia({ prefix: "/v1/ingest", tags: ["Doors for apps"] }).use(doorGuard);
for (const door of DOORS) for (const method of door.methods) open(doorRoutes, method, door);
