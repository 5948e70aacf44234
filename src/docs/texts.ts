/** The texts of the OpenAPI document. */

/** A part of the API for one kind of reader, and its sections. */
interface TagGroup {
  name: string;
  tags: [name: string, description: string][];
}

/** The sections of Swagger UI, in their order: what most readers come for stands first. */
export const TAG_GROUPS: TagGroup[] = [
  {
    name: "Tracking",
    tags: [
      ["GPS data", "Positions: posting, current ones, the record"],
      ["Changes", "The numbered feed of changes: nothing missed"],
      ["Devices", "What reports positions"],
      ["Trackers", "Credentials for the apps that people carry: each posts positions of one device"],
      [
        "Doors for apps",
        "Addresses that apps and receivers send to, each in its own format; see `docs/devices.md` for setting one up",
      ],
      ["Trips", "Voyages with a status lifecycle, their positions and history"],
      ["Trip categories", "Kinds of trips, as a tree"],
      ["Trip templates", "What trips of a kind have in common, and trips made from it"],
      ["Locations", "Places where trips begin and end, and whom to talk to there"],
      ["Tracks", "The ways of devices and trips, to draw and as files"],
      ["Shares", "Devices that single users see, without the permission to see all"],
      ["Timeline", "Moves, stops and gaps of devices, and statistics of their tracks"],
      ["Links", "Devices and trips that whoever has a link sees, without an account"],
      ["Geofences", "Zones whose border is watched, and who crossed it when"],
      ["Alerts", "Conditions that hold, or held, and that people were told of"],
      ["Alert rules", "Conditions of which people are told"],
      ["Anchor watch", "The watch over a boat at anchor"],
      ["Notification targets", "Places that alerts are sent to, and what became of each delivery"],
      ["Charts", "The maps that everything is drawn on: the built-in coast, and the operator's charts"],
      ["Water levels", "Levels of rivers and canals, from PEGELONLINE or a service like it"],
    ],
  },
  { name: "Realtime", tags: [["Realtime", "The WebSocket"]] },
  {
    name: "Accounts",
    tags: [
      ["Authentication", "Signing in and out"],
      ["Two-factor authentication", "A second factor at sign-in: authenticator apps and backup codes"],
      ["Bridge", "The sessions and downloads of the pages that this server serves"],
      ["Sessions", "A session of a user, and where it was opened"],
      ["Passkeys", "A user's passkeys, which sign in without a password"],
      ["Users", "Users, their names, locales, roles and permissions"],
      ["Invitations", "Accounts that somebody is asked to make, with their roles and devices"],
      ["Email addresses", "Changing and linking the address that a user signs in with"],
      ["Platform accounts", "The platforms that a user signs in with"],
      ["API keys", "Keys for devices and services"],
      ["OAuth clients", "Applications that sign users in through this installation"],
      ["OAuth and OpenID Connect", "The endpoints by which these applications sign users in and get tokens"],
      ["Consents", "What a user lets each of them do"],
      ["Integrations", "Accounts on Twitch, YouTube and Discord that users connect"],
      ["Personal data", "What is kept about a user, as an archive"],
      ["Account deletion", "Deleting an account, with a period of grace"],
      [
        "GraphQL",
        "Identity and look-ups, for programs that need a few fields of several records in one request: identity apps and bots. Positions, trips and all else are in REST",
      ],
    ],
  },
  {
    name: "Administration",
    tags: [
      ["Health and information", "Whether the server is well, and what it is"],
      ["Statistics", "The installation in figures"],
      [
        "Boxes",
        "Servers aboard, which send what they keep to this one, and the zones and rules that they are handed",
      ],
      ["Roles and permissions", "Who may do what"],
      ["Bans", "Keeping a user out, for a time or for good"],
      [
        "Audit log",
        "What happened, who did it, and from where; *List audit events* tells the event types. Events are written in the transaction of the change that they tell of, and never changed or deleted but by age (`audit.retention_days`)",
      ],
      ["Platforms", "Which platforms sign-in works through"],
      ["System settings", "What the apps of an installation keep for all their users"],
      ["System config", "What can be changed while the server runs"],
      [
        "Community",
        "Guilds of a chat community, their channels and members, and the settings of the bot that tells of them",
      ],
    ],
  },
];

export const DESCRIPTION = `One self-hosted backend for vessels, depots and small fleets.

**First request.** Sign in with \`POST /v1/auth/login\`, press *Authorize* and paste the \`session_token\`; or paste an API key. Every protected operation names the permission that it needs.

**Conventions.** Identifiers are UUIDs and times ISO 8601 in UTC, unless an operation says otherwise. In a session, \`me\` stands for the caller wherever \`{id}\` names a user. Unknown body fields are ignored; \`null\` clears an optional field. A creation answers 201 with \`Location\`. Errors are \`{ error, message }\`, with \`details\` for invalid input. Every answer carries \`X-Request-Id\`.

**Forms.** A record comes as \`{ data, _links }\`, a page as \`{ data, pagination, _links }\`. The specification that this API follows fixes other forms in some places; clients read their fields by these names, so they stay:
- Records whose own fields it lists are bare: profile, two-factor status, requirement and set-up, deletion status, water-level station, public statistics, a guild and a member, the settings of guilds and of the bot.
- Bare arrays are lists that it gives no pages, for programs that want all of it: current positions of devices, a trip's history, trip categories and templates, system config, water-level stations, audit reports, integrations. Those that can grow take \`page\` and \`limit\` too, and stay bare.
- \`{ roles }\`, \`{ permissions }\` and \`{ platforms }\` are such lists under a name.
- \`{ events, total_count, page, limit, total_pages, _links }\` is a page of the audit log: the same figures as in \`pagination\`, beside the events.
- \`{ logs, total, hasMore }\` is the export log, by \`limit\` and \`offset\`, in camelCase like its entries.
- \`{ members, total_count, has_more }\` are a guild's members, by \`limit\` and \`offset\`.
- \`{ sessions, current_session_id, _links }\` also tells which session asks.
- A new or renewed API key or client secret is shown once, beside the record and not in it: \`{ client, client_secret }\`, or a key's own fields.
- What makes no record answers \`{ success, message }\` or the fields that its operation lists.

**Limits.** Writes count for each credential (\`rate_limit.write\`, by default 600 in 60 seconds) and, ten times as many, for each user; positions and system keys are not counted, and some operations have a limit of their own beside it. The \`RateLimit\` headers tell of the tighter one. A list without pages comes whole, or with \`page\` or \`limit\` page by page; one that is longer than people make them is cut, and \`_links.next\`, where a list has links, says where it goes on.`;

/** Descriptions of the error statuses. */
export const ERRORS: Record<string, string> = {
  400: "The input is not valid",
  401: "No valid credential",
  403: "The credential lacks the permission",
  404: "There is no such record",
  409: "The state of the records does not permit this",
  410: "The changes after this cursor are gone: `next` is where to go on from",
  422: "The Idempotency-Key came with another body",
  413: "The body is too large",
  415: "The body is not JSON, or its coding is not accepted",
  426: "The request is no WebSocket handshake",
  429: "Too many requests; `Retry-After` says when to try again",
  500: "Something went wrong on the server; the message carries the request id",
  501: "Not implemented",
  503: "The server, or a service that it depends on, cannot answer now",
};

/** The names of errors, as in the body's `error`. */
export const NAMES: Record<string, string> = {
  400: "ValidationError",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  410: "CursorExpired",
  422: "IdempotencyKeyReused",
  426: "UpgradeRequired",
  429: "TooManyRequests",
  500: "InternalServerError",
  501: "NotImplemented",
  503: "ServiceUnavailable",
};
