import { localeQuery } from "../../kernel/http/accept";
import { SelfLink } from "../../kernel/http/answers";
import { nullable, oneOf, out, record, t } from "../../kernel/http/schema";

const service = (what: string) =>
  t.Object(
    {
      status: out.string("`up` or `down`", "up"),
      responseTime: out.integer("Milliseconds that a check took", 0),
    },
    { description: what },
  );

export const HealthQuery = t.Object({ locale: localeQuery("`trouble` and `warnings`") });

export const Health = record(
  "Health",
  {
    status: out.string(
      "`healthy`; `degraded` when a source that is configured brings nothing, such as the vessel's own receiver, a notification does not go out, the MQTT broker takes nothing, the server ashore does not answer, or scheduled backups fail, though all else works; or `unhealthy` when the database does not answer or takes no writes, or another part is down",
      "healthy",
    ),
    version: out.string("Version of Fairlead", "0.1.0"),
    timestamp: out.time("Time of the server"),
    uptime: t.Object(
      {
        days: out.integer("Whole days", 3),
        hours: out.integer("Whole hours beyond the days", 4),
        minutes: out.integer("Whole minutes beyond the hours", 12),
        seconds: out.integer("Whole seconds beyond the minutes", 9),
        total: out.number("All of it in seconds", 274_329.5),
      },
      { description: "How long the server has been running" },
    ),
    services: t.Object(
      {
        database: service("The database"),
        cache: service("The cache in memory"),
        websocket: t.Object(
          {
            status: out.string("`up` or `down`", "up"),
            connections: out.integer("Open connections", 12),
            subscriptions: out.integer("Subscribed channels of all connections", 31),
          },
          { description: "The realtime service" },
        ),
        backup: t.Optional(
          t.Object(
            {
              status: out.string(
                "`up`, or `down` when the last try failed, or the one that was restored for a try is of no use or could not be",
                "up",
              ),
              lastBackup: nullable(out.time("When the newest backup was made")),
              ageSeconds: nullable(out.integer("Its age in seconds", 3_600)),
              verifiedAt: t.Optional(
                out.time("When one was last restored for a try, with `backup.verify = deep`"),
              ),
              isRestorable: t.Optional(out.boolean("Whether that one was found sound", true)),
            },
            { description: "Scheduled backups, where `backup.interval_hours` is set" },
          ),
        ),
        notifications: t.Optional(
          t.Object(
            {
              status: out.string(
                "`up`, or `down` while a delivery has been failing for five minutes and more",
                "up",
              ),
              waiting: out.integer("Deliveries that are due or failed before", 0),
              oldest_seconds: nullable(
                out.integer("Age of the oldest of them in seconds; null where none waits", 12),
              ),
            },
            { description: "What is sent to notification targets, where there are any" },
          ),
        ),
        position: t.Optional(
          t.Object(
            {
              status: out.string("`up`, or `down` while no fix comes or none can be stored", "up"),
              last_fix_at: nullable(out.time("When the newest fix came, by the server's clock")),
              reconnects: out.integer("Times that the connection was made anew since the start", 0),
              trouble: nullable(out.string("Why it is down", "the receiver has no fix")),
            },
            { description: "The vessel's own receiver, where `position.source` is set" },
          ),
        ),
        mqtt: t.Optional(
          t.Object(
            {
              status: out.string(
                "`up`, or `down` while the broker is not connected, or refuses what it gets",
                "up",
              ),
              protocol: nullable(
                out.string("Version of MQTT that it speaks; null while it is not connected", "5.0"),
              ),
              waiting: out.integer("Changes that it has not acknowledged", 0),
              reconnects: out.integer("Times that the connection was made anew since the start", 0),
              trouble: nullable(out.string("Why it is down", "it refuses the user name or the password")),
            },
            { description: "The MQTT broker, where `mqtt.url` is set" },
          ),
        ),
        sync: t.Optional(
          t.Object(
            {
              status: out.string(
                "`up`, or `down` once requests have failed for five minutes, and as soon as the token is refused",
                "up",
              ),
              last_contact_at: nullable(out.time("When it answered last; null for never")),
              is_metered: out.boolean("Whether the line costs by the byte now, by `sync.metered`", false),
              bytes_today: out.integer("Bytes to and fro today (UTC), heads included, at a guess", 184_320),
              waiting: out.integer("Rows that it has not acknowledged", 120),
              lanes: t.Array(
                t.Object({
                  lane: out.string("Name of the lane, in the order in which they are told", "backlog"),
                  rows: out.integer("Rows that wait", 120),
                  bytes: out.integer("About the bytes that they will take", 2_400),
                  age_seconds: out.integer("Age of the oldest of them; 0 where none waits", 1_200),
                }),
                { description: "All that waits, by lane" },
              ),
              trouble: nullable(
                out.string("Why the last request failed; null if it didn't", "its name does not resolve"),
              ),
            },
            { description: "The link of a server aboard to the one ashore, where `sync.url` is set" },
          ),
        ),
      },
      { description: "The parts of the server" },
    ),
    warnings: t.Optional(
      t.Array(
        out.string(
          "One warning",
          "the clock shows 1970-01-01T00:10:00.000Z, which is before the newest position (2026-05-04T12:00:00.000Z): one of the two is wrong; set the clock (timedatectl), or sessions, keys and positions get wrong times",
        ),
        {
          description:
            "Matters that need the operator's attention although the server works, such as a clock that is far off; absent if there are none",
        },
      ),
    ),
    _links: SelfLink,
  },
  "Whether the server is well",
);
export type Health = (typeof Health)["static"];

export const Liveness = record(
  "Liveness",
  { status: oneOf(["alive"], "It answers: that is all") },
  "That the process answers",
);

export const Readiness = record(
  "Readiness",
  {
    status: oneOf(["ready", "not ready"], "Whether requests should be sent here"),
    reason: nullable(out.string("Why not", "the database takes no writes")),
  },
  "Whether the server takes requests",
);
export type Readiness = (typeof Readiness)["static"];

export const ApiInfo = record(
  "ApiInfo",
  {
    version: out.string("Version of Fairlead", "0.1.0"),
    commit: nullable(
      out.string(
        "Hash of the commit from which it was built, with `-dirty` behind it if files were changed since; null if it isn't known",
        "4e7cd2cb648931282aa58dfe3521d0bcc9630cb0",
      ),
    ),
    built_at: nullable(
      out.time(
        "Date of the build: that of the commit, unless the build was given another; null if it isn't known",
      ),
    ),
    server: t.Object(
      { uptime: out.integer("Seconds for which the server has been running", 274_329) },
      { description: "The server" },
    ),
    client: t.Object(
      {
        ip: out.string("Address of the client, as the server sees it", "192.0.2.17"),
        userAgent: out.string("Its User-Agent header", "curl/8.5.0"),
        browser: out.string("Browser, read from it", "Unknown"),
        os: out.string("Operating system, read from it", "Unknown"),
      },
      { description: "The client that asks" },
    ),
    timestamp: out.time("Time of the server"),
    _links: t.Object(
      {
        self: out.string("This address", "/v1"),
        health: out.string("Health of the server", "/v1/health"),
        documentation: t.Optional(out.string("Swagger UI, unless it is switched off", "/docs")),
        openapi: out.string("The OpenAPI document", "/v1/openapi.json"),
        asyncapi: out.string("The AsyncAPI document: the messages of the WebSocket", "/v1/asyncapi.json"),
      },
      { description: "Links to other addresses" },
    ),
  },
  "The API at a glance",
);
export type ApiInfo = (typeof ApiInfo)["static"];
