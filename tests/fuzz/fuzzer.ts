import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import fc from "fast-check";
import { ALLER, measured, PegelonlineStandIn } from "../stand-ins/pegelonline";
import type { Token } from "../support/api";
import type { Contract } from "../support/contract";
import { ADMIN, TestServer } from "../support/server";
import { claimSane } from "./judge";
import { Pool } from "./pool";
import { type FuzzRequest, type Operation, requestsOf, rightfulCaller } from "./requests";
import { parameters, RUNS, reproducibly } from "./settings";
import { Values } from "./values";

/** Sends random requests to a real server, and judges each answer. */

/**
 * Operations that have no 2xx or 4xx unless a service is configured or connected, which is not the case here.
 */
const NOT_CONFIGURED = /^\/v1\/(integrations\/|community\/.*sync$)/;
const NOT_IMPLEMENTED = ["/v1/auth/signin", "/v1/auth/validate"];

/** The scopes of the narrow key. */
const NARROW = ["trips:read", "gps:write"];

/** Operations that take long by design: they get fewer requests. */
const COSTLY: Record<string, number> = {
  "GET /v1/user/export": 2,
  "POST /v1/auth/reset-password": 4,
};

/** True for an address that apps send to, which takes other credentials. */
const isDoor = ({ document }: Operation): boolean =>
  document.security.some((way) => "trackerPassword" in way);

/** True for what boxes send and fetch, which takes their tokens alone. */
const isForBoxes = ({ document }: Operation): boolean => document.security.some((way) => "boxToken" in way);

/**
 * Rules that a schema can't express: the 400s that a valid request may get, and the operations that answer
 * them.
 */
const BEYOND_SCHEMAS: [operation: RegExp, message: RegExp][] = [
  // A reference in a body to nothing (rule H8): records come and go during a run.
  [/^(POST|PATCH|DELETE) |^GET .*\/2fa\//, /^\w*_?id names no |^oauth_?[pP]rovider names no /i],
  // A tile beyond the world at its zoom.
  [/^GET \/v1\/charts\//, /^[xy] must be below \d+ at zoom \d+$/],
  // A PATCH in which no known field remains (rule H7).
  [/^PATCH /, /^At least one field is required$/],
  // Secrets that random texts can't meet, and states that need one to be reached.
  [/verify|\/complete$/, /^The token is not valid, was used, or has expired$/],
  [
    /\/oidc$|\/oidc\/session$|\/reauthenticate$|\/me\/identities$/,
    /^The code is not valid, was used, or has expired/,
  ],
  [/\/passkeys/, /^credential can't be accepted/],
  [/\/audit\/verify$/, /^There is no event at that place/],
  [
    /^\S+ \/v1\/users\/me\/2fa/,
    /is not on$|is already on$|no set-up to complete|^code is wrong|cannot be set up from/,
  ],
  [
    /^POST \/v1\/(users\/me\/(password|deletion)|auth\/reauthenticate)$/,
    /password|^passkey was not accepted$/,
  ],
  [/^POST \/v1\/users\/me\/identities\/begin\//, /^(password|code) /],
  [/callback\/\{platform\}$/, /^This connection was not started here/],
  // Bounds of a whole record, and of kinds of events.
  [/\/oauth\/clients/, /^A client may store at most 16 KiB/],
  [/internal\/audit$/, /^event_type names a new kind of event/],
  // The operator's choices: languages, redirect addresses, parts that are switched off.
  [/\/locale$/, /^locale must be one of /],
  [/\/connect$/, /^(redirect_uri|scopes) must/],
  [/register|oauth$|sessions$/, /is switched off$/],
  // Times against the server's clock; `to` is now by default.
  [/\/audit\/export$/, /^(to must not be before from|from must not be in the future)$/],
  [/^(POST|PATCH) \/v1\/(api-keys|sessions)/, /must be in the future$/],
  [
    /^(POST|PATCH) \/v1\/devices\/\{id\}\/trackers/,
    /must be in the future$|is for OwnTracks alone$|must have no query and no fragment$/,
  ],
  [
    /^(POST|PATCH) \/v1\/notification-targets/,
    /^\w+ (is no field of|is required for|leads to|needs an MQTT broker)|must have no query and no fragment$|must be a time zone /,
  ],
  [
    /^(POST \/v1\/(share-links|invitations)|PUT .*\/shares\/)/,
    /must be in the future$|at most a year ahead$|is there twice$|is for (the level|a link)|is required|must not be before from$|must be left out|either these or a trip_id|names no |must be somebody else$|must have no query and no fragment$/,
  ],
  [/^POST \/v1\/sync\/boxes/, /must have no query and no fragment$/],
  // Spans, tolerances with an exponent, and time zones.
  [
    /^GET .*\/(track|timeline|statistics|history)$/,
    /^tolerance_m must be a number|must not be (before from|after to)$|days after from$|must be a time zone /,
  ],
  // Entries of a log: something has to be said, in JSON that is the same everywhere (RFC 8785).
  [/^POST \/v1\/trips\/\{id\}\/log/, /^(text|occurred_at|data)\b/],
  [/^POST \/bridge\/downloads$/, /^path must be one of the API/],
  // Shapes of zones, which JSON Schema can't state.
  [/^(POST|PATCH) \/v1\/geofences/, /^(geometry|width_m|latitude|longitude|radius_km|kind)\b|is no box$/],
  // Conditions and texts of rules, and records that they name.
  [
    /^(POST|PATCH) \/v1\/alert-rules/,
    /is no (device|zone|notification target|box)$|must be empty|is required|may hold |must be left out|must be a time zone /,
  ],
  [
    /^PUT \/v1\/devices\/\{id\}\/anchor/,
    /is required with|must be left out|must be smaller|is no notification target$/,
  ],
  [/^POST \/v1\/gps$/, /^timestamp must be Unix time/],
  // A credential of no device has to name one.
  [/^POST \/v1\/gps\/batch$/, /^device_id is required/],
  // Cursors and types of changes, which texts can't meet by chance.
  [/^GET \/v1\/changes/, /^since must be a cursor|^types are some of /],
  // Fields that hang on others or on the record.
  [/^PATCH \/v1\/users\/\{id\}$/, /^avatar_url can't be set while avatars are off$/],
  [/^(PATCH|POST) \/v1\/users\/\{id\}/, /^This account was not created with an email address/],
  [/regenerate-secret$/, /^A public client has no secret$/],
  [/^DELETE \/v1\/users\/me\/sessions/, /current session/],
  [/^PATCH \/v1\/trips/, /^A trip|status/],
  // Rules that JSON Schema can't state: RFC 6749, section 3.1.2, and RFC 8252; addresses; each key's own kind
  // of value.
  [/\/v1\/oauth\/clients/, /^(post_logout_)?redirect_uris\.\d+ must|^approved_scopes\.\d+ /],
  [/^POST \/v1\/internal\/audit$/, /^ip_address must be an IP address$/],
  [/^PATCH \/v1\/system-config/, /^value must/],
  [/^POST \/v1\/settings$/, /^key must not be public, /],
  // GraphQL's own rules: JSON in a parameter of the URL, a document that says something, values that are few.
  [/\/v1\/graphql$/, /^variables (may|is|holds)|"variables" param|^Send a query|^Must provide query/],
];

export class Fuzzer {
  readonly server: TestServer;
  readonly #source: PegelonlineStandIn;
  readonly operations: Operation[];
  readonly pool = new Pool();
  requests = 0;
  /** The operations that accepted a request: proof that a run gets further than to refusals. */
  readonly accepted = new Set<Operation>();
  readonly #contract: Contract;
  readonly #values: Values;
  readonly #ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    allErrors: true,
  });
  readonly #bodies = new Map<Operation, ValidateFunction>();
  #adminId = "";
  #admin: Token = "";
  #narrow: Token = "";
  /** The token of an app, which every known caller sends at the doors for apps. */
  #tracker: Token = "";
  #box: Token = "";

  private constructor(server: TestServer, source: PegelonlineStandIn, contract: Contract) {
    this.server = server;
    this.#source = source;
    this.#contract = contract;
    this.#values = new Values(contract.document.components.schemas, this.pool.forField);
    this.#ajv.addSchema(contract.document, "document");
    this.operations = Object.entries(contract.document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, document]) => ({
        method: method.toUpperCase(),
        template,
        document,
      })),
    );
  }

  static async start(): Promise<Fuzzer> {
    const source = await PegelonlineStandIn.start();
    const server = await TestServer.start({ settings: source.settings(300), memory: "as shipped" });
    const fuzzer = new Fuzzer(server, source, await server.contract());
    for (const { uuid } of ALLER) {
      source.measurements.set(uuid, measured([100, 110], new Date().toISOString()));
      fuzzer.pool.add("stations", uuid);
    }
    fuzzer.#adminId = (await server.login(ADMIN.username, ADMIN.password)).user_id;
    fuzzer.pool.spare(fuzzer.#adminId);
    await fuzzer.#seeRecords();
    return fuzzer;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.#source.stop();
  }

  /** Makes a request that the run itself depends on; throws when it is refused. */
  async #must(method: string, path: string, token: Token, body: object) {
    const answer = await this.server.request(method, path, { token, body });
    if (answer.status >= 300)
      throw new Error(
        `the run can't go on: ${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    return answer.body;
  }

  /**
   * Opens a new session of the super admin and makes a narrow key: random requests sign out and revoke their
   * own.
   */
  async #signIn(): Promise<void> {
    const { systemKey } = this.server;
    // A random request may have switched its platform off.
    const on = { enabled: true, registration_enabled: true };
    for (const slug of ["email", "github"])
      await this.#must("PATCH", `/v1/platforms/${slug}/settings`, systemKey, on);
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    // It may have taken the role.
    await this.server.post(`/v1/users/${this.#adminId}/roles`, {
      token: systemKey,
      body: { role_id: "role_super_admin" },
    });
    const session = await this.#must("POST", "/v1/sessions", systemKey, { userId: this.#adminId, expires });
    this.#admin = session.sessionToken;
    await this.#makeRoom();
    const key = await this.#must("POST", "/v1/api-keys", this.#admin, { name: "narrow", scopes: NARROW });
    this.pool.spare(session.id, key.id);
    this.#narrow = key.key;
  }

  /**
   * Makes a record of each kind now and then, since random requests delete them, and notes those that exist
   * anyway.
   */
  async #seeRecords(): Promise<void> {
    await this.#signIn();
    const { systemKey } = this.server;
    const name = `anna_${this.requests}`;
    for (const [path, token, body] of [
      ["/v1/devices", this.#admin, { name: "Greif" }],
      ["/v1/locations", this.#admin, { name: "Greifswald", contacts: [{ name: "Harbour master" }] }],
      ["/v1/trips", this.#admin, { name: "Crossing" }],
      ["/v1/trip-categories", this.#admin, { name: "Cargo" }],
      ["/v1/trip-templates", this.#admin, { name: "Weekly" }],
      ["/v1/geofences", this.#admin, { name: "Harbour", latitude: 54, longitude: 13, radius_km: 1 }],
      ["/v1/roles", this.#admin, { name }],
      ["/v1/settings", this.#admin, { key: name, value: 1 }],
      ["/v1/api-keys", this.#admin, { name }],
      ["/v1/users/oauth", systemKey, { name, oauthProvider: "github", oauthProviderId: name }],
    ] as const) {
      const made = await this.#must("POST", path, token, body);
      this.pool.harvest(path.replace("/oauth", ""), made);
      for (const contact of made.data?.contacts ?? []) this.pool.add("contacts", contact.id);
    }
    const boat = await this.#must("POST", "/v1/devices", this.#admin, { name: "Boat" });
    const app = { name: "app", format: "generic", base_url: "https://boat.example.org" };
    const made = await this.#must("POST", `/v1/devices/${boat.data.id}/trackers`, this.#admin, app);
    this.pool.spare(boat.data.id, made.data.id);
    this.#tracker = made.data.token;
    const aboard = { name: "Boat", base_url: "https://shore.example.org" };
    const box = await this.#must("POST", "/v1/sync/boxes", this.#admin, aboard);
    this.pool.spare(box.data.id);
    this.#box = box.data.token;
    for (const path of ["roles", "permissions", "platforms", "system-config", "users/me/audit"])
      this.pool.harvest(`/v1/${path}`, (await this.server.get(`/v1/${path}`, { token: this.#admin })).body);
  }

  /** Deletes most roles and keys of the run: there are bounds, and a long run makes more. */
  async #makeRoom(): Promise<void> {
    const { systemKey } = this.server;
    const list = async (path: string, token: Token): Promise<{ id: string; is_system?: boolean }[]> => {
      const { body } = await this.server.get(path, { token });
      return Array.isArray(body) ? body : body.data;
    };
    const roles = (await list("/v1/roles", systemKey)).filter(({ is_system }) => !is_system);
    const keys = (await list("/v1/api-keys", this.#admin))
      .filter(({ is_system }) => !is_system)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (const { id } of roles.slice(0, -20)) await this.#must("DELETE", `/v1/roles/${id}`, systemKey, {});
    for (const { id } of keys.slice(0, -100))
      await this.#must("DELETE", `/v1/api-keys/${id}`, this.#admin, {});
  }

  /** Tests an operation with random requests. Throws with the seed and the request that fails. */
  async check(operation: Operation): Promise<void> {
    const { method, template } = operation;
    const at = this.operations.indexOf(operation);
    if (at % 4 === 0) await this.#seeRecords();
    const runs = Math.min(RUNS, COSTLY[`${method} ${template}`] ?? RUNS);
    const property = fc.asyncProperty(requestsOf(operation, this.#values, this.pool), (request) =>
      this.#judge(operation, request),
    );
    await reproducibly(() => fc.assert(property, parameters(at, runs)));
  }

  /** Sends one request to each operation without a credential, as valid as one can be drawn. */
  async askAsStranger(operations: Operation[]): Promise<{ operation: string; status: number }[]> {
    const answers: { operation: string; status: number }[] = [];
    for (const operation of operations) {
      const [drawn] = fc.sample(requestsOf(operation, this.#values, this.pool), parameters(0, 1));
      if (!drawn) continue;
      const { status } = await this.#send(operation, { ...drawn, who: "nobody" });
      answers.push({ operation: `${operation.method} ${operation.template}`, status });
    }
    return answers;
  }

  async #send(
    operation: Operation,
    request: FuzzRequest,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const known = {
      nobody: undefined,
      admin: this.#admin,
      "narrow key": this.#narrow,
      "system key": this.server.systemKey,
    }[request.who];
    const own = isDoor(operation) ? this.#tracker : isForBoxes(operation) ? this.#box : known;
    const token = known && own;
    this.requests++;
    const asked = known === undefined ? request.path : this.#withToken(operation, request.path);
    // Nothing is waited for.
    const path = asked.replaceAll(/(?<=wait_seconds=)\d+/g, "0");
    const response = await fetch(this.server.url + path, {
      method: operation.method,
      headers: {
        ...request.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        // Pages say that they are some.
        ...(operation.template.startsWith("/bridge/") && { "x-fairlead-page": "1" }),
      },
      redirect: "manual",
      ...(request.body !== undefined && { body: request.body }),
    });
    const isEndless = response.headers.get("content-type") === "text/event-stream";
    if (isEndless) await response.body?.cancel();
    return {
      status: response.status,
      headers: response.headers,
      text: isEndless ? "" : await response.text(),
    };
  }

  /** The path of a door with a right token in it; any other path as it is. */
  #withToken({ template }: Operation, path: string): string {
    const at = template.startsWith("/v1/ingest/") ? template.split("/").indexOf("{token}") : -1;
    if (at === -1) return path;
    const [before = "", ...query] = path.split("?");
    return [before.split("/").with(at, this.#tracker).join("/"), ...query].join("?");
  }

  async #judge(operation: Operation, request: FuzzRequest): Promise<void> {
    const { method, template, document } = operation;
    let answer = await this.#send(operation, request);
    if (
      answer.status === 401 &&
      request.who !== "nobody" &&
      request.who !== "system key" &&
      document.security.length > 0
    ) {
      await this.#signIn();
      answer = await this.#send(operation, request);
    }
    const { status, headers, text } = answer;
    // The runtime refuses a head that is too long before it knows of a path.
    const head = request.path.length + JSON.stringify(request.headers).length;
    if (status === 431 && head > 8_000 && text === "") return;
    const body: unknown =
      /[/+]json/.test(headers.get("content-type") ?? "") && text !== ""
        ? JSON.parse(text)
        : text === ""
          ? null
          : text;
    const where = `${status} ${text.slice(0, 300)}`;
    const claim = (holds: boolean, what: string) => {
      if (!holds) throw new Error(`${what}: ${where}`);
    };

    claim(
      status < 500 ||
        (status === 503 && NOT_CONFIGURED.test(template)) ||
        (status === 501 && NOT_IMPLEMENTED.includes(template)),
      "a failure of the server",
    );
    claimSane(status, headers, text);
    this.#contract.check(method, request.path, { status, headers, body });

    // A wrong app key is refused, whatever else is sent.
    const hasAppKey = "x-id-app-key" in request.headers;
    // Doors of pages are closed to those of other origins.
    const isElsewhere = template.startsWith("/bridge/") && "origin" in request.headers;
    // An access token alone shows which claims an application may read.
    const isForSessions = !template.startsWith("/oauth/") && !isElsewhere;
    if (request.who === "admin" && document.security.length > 0 && !hasAppKey && isForSessions)
      claim(status !== 401, "closed to a session that is valid");
    const permission = document["x-permission"];
    // `me` in place of an identifier may lead to another operation, which takes sessions alone.
    const isMe = request.path.includes("/me") && !template.includes("/me");
    const isBeyondNarrow = permission !== undefined && !NARROW.includes(permission) && !hasAppKey && !isMe;
    if (request.who === "narrow key" && isBeyondNarrow)
      claim(status === 403, "open to a key without the permission");
    if (
      request.who === "nobody" &&
      document.security.length > 0 &&
      document.security.every((way) => Object.keys(way).length > 0)
    )
      // A link that shows nothing is no credential, and says so by itself.
      claim(status === 401 || (status === 404 && /[?&]share=/.test(request.path)), "open to a stranger");
    const isRightful = request.who === rightfulCaller(operation);
    if (isRightful && request.isValid)
      claim(status !== 400 || isBeyondSchemas(operation, text), "a valid request is refused");
    // GraphQL answers 200 with `errors` to a query that it can't parse (its own tests check them).
    // A message of an app is never refused for its form.
    const isFree = template === "/v1/graphql" || isDoor(operation);
    const invalid = isRightful && !isFree ? this.#invalidPlaces(operation, request) : [];
    // A malformed position is rejected alone.
    const rejected = template === "/v1/gps/batch" && status === 200 ? rejectedOf(body) : [];
    if (invalid.some((place) => !rejected.some((at) => place === at || place.startsWith(`${at}/`))))
      claim(status >= 400, "an invalid body is taken");
    if (isRightful && status === 201 && request.isValid) claimKept(request, body, claim);
    if (status >= 300) return;
    this.accepted.add(operation);
    this.pool.harvest(template, body);
  }

  /**
   * The places in the body that an independent validator refuses, as JSON pointers: "" for the whole. Formats are left out, since
   * validators differ on their edges.
   */
  #invalidPlaces(operation: Operation, { body }: FuzzRequest): string[] {
    const schema = operation.document.requestBody?.content["application/json"]?.schema;
    if (!schema || typeof body !== "string" || body === "") return [];
    let validate = this.#bodies.get(operation);
    if (!validate) {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
      validate = this.#ajv.compile(absolute);
      this.#bodies.set(operation, validate);
    }
    try {
      // A parser may ignore a byte order mark (RFC 8259, section 8.1), as this server does.
      const sent = JSON.parse(body.replace(/^\ufeff/, ""));
      return validate(sent) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);
    } catch {
      return [""];
    }
  }
}

/** The places of the positions that a batch's answer rejects. */
function rejectedOf(answer: unknown): string[] {
  const { results } = answer as { results: { index: number; status: string }[] };
  return results.filter(({ status }) => status === "rejected").map(({ index }) => `/positions/${index}`);
}

const isBeyondSchemas = ({ method, template }: Operation, text: string): boolean =>
  BEYOND_SCHEMAS.some(
    ([operation, message]) => operation.test(`${method} ${template}`) && message.test(messageOf(text)),
  );

/** The message of an error, in REST's form or in GraphQL's. */
function messageOf(text: string): string {
  const { message, errors } = JSON.parse(text);
  return message ?? errors[0].message;
}

/** Fields that are stored in another form than they were sent. */
const CANONICAL = ["country", "timestamp", "occurred_at", "expires_at", "expires", "username", "email"];

/** Fields that an event about a scrubbed account loses (rule A10). */
const SCRUBBED = ["user_agent", "ip_address", "description", "error_message"];

/** Compares the texts and numbers of a created record with those that were sent. */
function claimKept(
  request: FuzzRequest,
  answer: unknown,
  claim: (holds: boolean, what: string) => void,
): void {
  const sent = JSON.parse(String(request.body)) as Record<string, unknown>;
  const kept = (answer as { data?: Record<string, unknown> }).data ?? {};
  for (const [key, value] of Object.entries(sent))
    if (
      kept[key] !== undefined &&
      ["string", "number"].includes(typeof value) &&
      !CANONICAL.includes(key) &&
      !SCRUBBED.includes(key) &&
      !key.endsWith("_id")
    )
      claim(kept[key] === value, `${key} is not kept as it was sent`);
}
