import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildSchema, type GraphQLOutputType, getNamedType, isObjectType } from "graphql";
import { TYPE_DEFS } from "../../../src/graphql/schema";
import { PERMISSIONS } from "../../../src/identity/access/permissions";
import { expectStatus } from "../../support/expectations";
import { newUser, staff } from "../../support/people";
import { TestServer } from "../../support/server";
import { Client, type Message } from "../../support/socket";
import { HOUR } from "../../support/time";
import { type Level, share } from "./support";
import {
  type Address,
  addressesOf,
  type Class,
  found,
  makeSubject,
  readAt,
  type Subject,
} from "./walk-support";

/**
 * Whatever tells of a device is read as everybody: each address of the OpenAPI document, each channel of the AsyncAPI document
 * and each field of the GraphQL schema, for the marks of two devices, of which one is shared. A door that doesn't ask who sees
 * a device fails here on the day it is made, whatever it calls the device.
 */

const LEVELS: Level[] = ["now", "history", "manage"];
const CLASSES: Class[] = [...LEVELS, "never"];
type Who = Level | "none" | "expired";
const EVERYBODY: Who[] = ["none", "expired", ...LEVELS];

let server: TestServer;
let admin: string;
let shown: Subject;
let hidden: Subject;
const tokens = new Map<Who, string>();
let keyOfManager: string;
let addresses: Address[];
let begin: string;

beforeAll(async () => {
  server = await TestServer.start({ clock: "movable" });
  admin = await server.admin();
  begin = expectStatus(await server.get("/v1/changes?since=now", { token: admin }), 200).body.next;
  shown = await makeSubject(server, "Shown Heron", { past: "48.43219", present: "48.53217" });
  hidden = await makeSubject(server, "Hidden Osprey", { past: "57.12349", present: "57.23457" });
  for (const who of EVERYBODY) {
    const user = who === "manage" ? await staff(server, "api_keys:write") : await newUser(server);
    tokens.set(who, user.token);
    if (who === "manage") keyOfManager = await keyOf(user.token);
    const expires_at = new Date(server.time + HOUR).toISOString();
    if (who === "expired") await share(server, shown.id, user.id, "manage", { expires_at });
    else if (who !== "none") await share(server, shown.id, user.id, who);
  }
  await server.advance(HOUR + 1_000);
  const { document } = await server.contract();
  const wanted = {
    ...{
      limit: "100",
      from: new Date(server.time - 6 * HOUR).toISOString(),
      latitude: "57",
      longitude: "13.4",
    },
    ...{ device_id: hidden.id, device_ids: hidden.id, trip_id: hidden.tripId, geofence_id: hidden.zoneId },
    ...{ since: begin, format: "csv" },
  };
  const { id } = expectStatus(await server.get("/v1/users/me", { token: admin }), 200).body.data;
  addresses = addressesOf(document, [shown.ids, hidden.ids, [id]], wanted);
});
afterAll(() => server.stop());

async function keyOf(token: string): Promise<string> {
  const body = { name: "key", scopes: ["two_factor:read"] };
  return expectStatus(await server.post("/v1/api-keys", { token, body }), 201).body.key;
}

const tokenOf = (who: Who): string => tokens.get(who) as string;
const all = ({ marks }: Subject): string[] => CLASSES.flatMap((each) => marks[each]);

/** Marks of the shared device that a share of a level must not show, and those that it must. */
const beyond = (who: Who): string[] =>
  CLASSES.slice(LEVELS.indexOf(who as Level) + 1).flatMap((each) => shown.marks[each]);
const within = (who: Who): string[] =>
  CLASSES.slice(0, LEVELS.indexOf(who as Level) + 1).flatMap((each) => shown.marks[each]);

/** Reads addresses with a token, some at a time. */
async function walk(token: string, some: readonly Address[], look: (text: string, address: Address) => void) {
  const left = [...some];
  const read = async () => {
    for (let next = left.pop(); next; next = left.pop()) look(await readAt(server, next.path, token), next);
  };
  await Promise.all(Array.from({ length: 8 }, read));
}

/** Operations that show devices by a right of their own: no share opens them, and they show those of everybody. */
const OWN_RIGHT: Record<string, string> = {
  "GET /v1/share-links": "links of all makers",
  "GET /v1/share-links/{id}": "the same",
  "GET /v1/admin/audit": "what everybody did",
  "GET /v1/admin/audit/export": "the same",
  "GET /v1/users/me/audit": "what one did, for those who may read it",
  "GET /v1/users/{id}/audit": "what somebody did",
  "GET /v1/gps": "positions of all devices, and of none",
  "GET /v1/gps/{id}": "a position of any device, or of none",
  "GET /v1/geofences/{id}/devices": "a zone, with all that are in it",
  "GET /v1/geofences/{id}/visits": "a zone, with all that came",
  "GET /v1/alerts": "alerts of all devices, stations and the installation",
  "GET /v1/alerts/{id}": "the same",
  "GET /v1/trip-templates": "plans of trips with any device",
  "GET /v1/trip-templates/{id}": "the same",
};
/** Operations that ask for the right to each record by themselves. */
const BY_RECORD = ["GET /v1/changes", "GET /v1/changes/stream", "GET /v1/user/export"];

describe("an address that tells of a device", () => {
  /** Those at which somebody who may do everything reads of it. */
  const telling: Address[] = [];

  test("asks who may see it, or for a right that shows all", async () => {
    const missed = new Set(all(hidden));
    await walk(admin, addresses, (text, address) => {
      const marks = found(text, all(hidden));
      if (marks.length > 0) telling.push(address);
      for (const mark of marks) missed.delete(mark);
    });
    const names = new Set(telling.map(({ operation }) => operation));
    expect([...missed]).toEqual([]);
    const open = telling.filter(
      ({ operation, share: level }) => !level && !(operation in OWN_RIGHT) && !BY_RECORD.includes(operation),
    );
    expect([...new Set(open.map(({ operation }) => operation))]).toEqual([]);
    expect([...BY_RECORD, ...Object.keys(OWN_RIGHT)].filter((name) => !names.has(name))).toEqual([]);
    expect(names.size).toBeGreaterThan(35);
  });

  test.each(EVERYBODY)("tells whoever has a share, or none, no more than that: %s", async (who) => {
    const wrong: string[] = [];
    const missed = new Set(within(who));
    await walk(tokenOf(who), addresses, (text, { operation, path }) => {
      // An event about one's own account names the device that was shared.
      const isOwn = operation === "GET /v1/users/me/audit" || operation === "GET /v1/user/export";
      const wide = isOwn ? beyond(who).filter((mark) => mark !== shown.id) : beyond(who);
      const marks = found(text, [...all(hidden), ...wide]);
      if (marks.length > 0) wrong.push(`${path}: ${marks.join(", ")}`);
      for (const mark of found(text, within(who))) missed.delete(mark);
    });
    expect(wrong).toEqual([]);
    expect([...missed]).toEqual([]);
  });

  test("tells a key of somebody with a share nothing", async () => {
    const wrong: string[] = [];
    await walk(keyOfManager, telling, (text, { operation, path }) => {
      // Its owner's own data name the share.
      if (operation === "GET /v1/user/export") return;
      if (found(text, [...all(hidden), ...all(shown)]).length > 0) wrong.push(path);
    });
    expect(wrong).toEqual([]);
  });

  test("tells a key by the permission that it names, and by no other", async () => {
    const wrong: string[] = [];
    const some = telling.filter(({ operation }) => !BY_RECORD.includes(operation));
    for (const permission of Object.keys(PERMISSIONS)) {
      await walk(await server.key(permission), some, (text, address) => {
        const isTold = found(text, all(hidden)).length > 0;
        const isRight = address.permission === permission && address.further === undefined;
        if (isTold !== isRight) wrong.push(`${address.path} by ${permission}: ${isTold}`);
      });
    }
    expect(wrong).toEqual([]);
  });
});

describe("a channel", () => {
  /** Channels that the document names, with the identifiers of both devices and their zones. */
  async function channels(): Promise<string[]> {
    const { description } = (await (await fetch(`${server.url}/v1/asyncapi.json`)).json()).info;
    const forms = [...String(description).matchAll(/^- `([a-z]+(?::<[a-z ]+>)?)`:/gm)].map(
      ([, form = ""]) => form,
    );
    expect(forms.length).toBeGreaterThan(10);
    const fillers: Record<string, string[]> = {
      "<device id>": [shown.id, hidden.id],
      "<geofence id>": [shown.zoneId, hidden.zoneId],
      "<name>": ["accounts", shown.id, hidden.id],
      "<own id>": [shown.id],
    };
    return forms.flatMap((form) => {
      const [gap] = /<.+>/.exec(form) ?? [];
      return gap === undefined ? [form] : (fillers[gap] ?? []).map((each) => form.replace(gap, each));
    });
  }

  /** All that a connection hears on all channels that it may hear, of the past and while both devices do what they can. */
  async function heardBy(
    token: string,
    act: () => Promise<void>,
  ): Promise<[channels: string[], text: string]> {
    const clients: Client[] = [];
    const allowed: string[] = [];
    for (const channel of await channels())
      for (const wish of [{ extended: true }, { since: begin }]) {
        const client = await Client.open(server, { bearer: token });
        client.send({ type: "subscribe", channel, ...wish });
        clients.push(client);
        if ((await client.next()).type === "message") allowed.push(channel);
      }
    await act();
    const heard: Message[] = [];
    for (const client of clients) {
      heard.push(...(await client.heard()));
      await client.close();
    }
    // A refusal repeats what was asked for.
    const told = heard.filter(({ type }) => type !== "error" && type !== "message");
    return [[...new Set(allowed)], JSON.stringify(told)];
  }

  /** Makes each message about a device. */
  async function doAll(subject: Subject, present: string, past: string): Promise<void> {
    const ask = (method: string, path: string, body: object, token = admin) =>
      server.request(method, path, { token, body });
    const fix = (latitude: string, ago: number) => ({
      ...{ latitude: Number(latitude), longitude: 13.4, speed_knots: 11 },
      timestamp: Math.floor(server.time / 1_000) - ago,
    });
    const batch = (...positions: object[]) => ask("POST", "/v1/gps/batch", { positions }, subject.key);
    for (const { status, body } of [
      await batch(fix(`${present}1`, 1)),
      // Late, and then out of the zone.
      await batch(fix(`${past}1`, 600)),
      await batch(fix("0.5", 0)),
      await batch(fix(`${present}2`, -1)),
      await ask("PATCH", `/v1/devices/${subject.id}`, { description: String(server.time) }),
      await ask("PATCH", `/v1/trips/${subject.tripId}`, {
        name: `${subject === shown ? "Shown Heron" : "Hidden Osprey"} trip`,
        notes: String(server.time),
      }),
      await ask("PUT", `/v1/devices/${subject.id}/anchor`, { latitude: 1, longitude: 1, radius_m: 50.25 }),
    ])
      expect([status < 300, body]).toEqual([true, body]);
  }
  const PRESENT = { shown: "48.53217", hidden: "57.23457" };
  const PAST = { shown: "48.43219", hidden: "57.12349" };
  const doBoth = async () => {
    // One fix a second.
    await server.advance(10_000);
    await doAll(shown, PRESENT.shown, PAST.shown);
    await doAll(hidden, PRESENT.hidden, PAST.hidden);
  };

  test("tells somebody who may hear all of each device", async () => {
    const [allowed, text] = await heardBy(admin, doBoth);
    expect(allowed).toEqual(
      expect.arrayContaining([
        "gps",
        `gps:${hidden.id}`,
        `geofence:${hidden.zoneId}`,
        "alerts",
        "trips",
        "devices",
      ]),
    );
    expect(found(text, [hidden.id, "Hidden Osprey trip", PRESENT.hidden, PAST.hidden])).toHaveLength(4);
    for (const type of [
      "gpsUpdate",
      "gpsLate",
      "geofenceEvent",
      "tripUpdate",
      "deviceUpdate",
      "alert",
      "anchorUpdate",
    ])
      expect(text).toContain(`"type":"${type}`);
  });

  test.each(EVERYBODY)("tells whoever has a share, or none, no more than that: %s", async (who) => {
    const [allowed, text] = await heardBy(tokenOf(who), doBoth);
    const isShared = LEVELS.includes(who as Level);
    const always = ["public", "public:accounts", `public:${shown.id}`, `public:${hidden.id}`];
    expect(allowed.sort()).toEqual([...(isShared ? [`gps:${shown.id}`] : []), ...always].sort());
    expect(
      found(
        text,
        [...all(hidden), ...beyond(who)].filter((mark) => mark !== PAST.shown),
      ),
    ).toEqual([]);
    expect(text.includes(PRESENT.shown)).toBe(isShared);
    // The past is read by a cursor.
    expect(text.includes(`${PAST.shown},`)).toBe(who === "history" || who === "manage");
    // The anchor watch is read by whoever manages the device.
    expect(text.includes('"radius_m":50.25')).toBe(who === "manage");
  });
});

/** All fields of a type, and of those below it. */
function selectionOf(type: GraphQLOutputType, depth = 0): string {
  const named = getNamedType(type);
  if (!isObjectType(named) || depth > 3) return "";
  const fields = Object.values(named.getFields()).map(
    (field) => `${field.name} ${selectionOf(field.type, depth + 1)}`,
  );
  return `{ ${fields.join(" ")} }`;
}

test("no field of GraphQL tells of a device", async () => {
  const schema = buildSchema(TYPE_DEFS);
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args, type }) =>
    [...shown.ids, ...hidden.ids].map((id) => {
      const given = args.map((each) => `${each.name}: ${JSON.stringify(id)}`).join(", ");
      return `{ ${name}${given && `(${given})`} ${selectionOf(type)} }`;
    }),
  );
  expect(queries.length).toBeGreaterThan(5 * 20);
  for (const query of new Set(queries)) {
    const answer = await server.post("/v1/graphql", { token: admin, body: { query } });
    expect(answer.body.errors?.[0]?.message ?? "").not.toContain("Syntax");
    expect(found(JSON.stringify(answer.body.data ?? null), all(hidden))).toEqual([]);
  }
});
