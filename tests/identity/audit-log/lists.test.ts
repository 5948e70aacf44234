import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { done, expectInvalid, expectRefused, UNKNOWN } from "../../support/expectations";
import { externalLogin, newUser, signInExternally, type User } from "../../support/people";
import { onDatabase } from "../../support/rows";
import { TestServer } from "../../support/server";
import { DAY } from "../../support/time";
import { link } from "../accounts/support";
import { admins, type EventPage, find, insertEvents, type StoredEvent, shown } from "./support";

/** The three lists of audit events (rules H2, H4 and H5). */
let server: TestServer;
let user: User;
beforeAll(async () => {
  server = await TestServer.start();
  user = await newUser(server);
});
afterAll(() => server.stop());

const ids = ({ events }: EventPage) => events.map(({ id }) => id);
const idsOf = (events: StoredEvent[]) => events.map(({ id }) => id);

let kinds = 0;
/** Inserts events of a resource type that no other test uses, so that a query finds them alone. */
function insertKind(events: Partial<StoredEvent>[]): { kind: string; events: StoredEvent[] } {
  const kind = `kind_${++kinds}`;
  return {
    kind,
    events: insertEvents(
      server,
      events.map((event) => ({ resource_type: kind, ...event })),
    ),
  };
}

/** The address of each list, and a credential for it, all showing one user's events. */
const lists = () => [
  { path: "/v1/users/me/audit", token: user.token },
  { path: `/v1/users/${user.id}/audit`, token: server.systemKey },
  { path: "/v1/admin/audit", token: server.systemKey },
];

describe("a list", () => {
  test("shows every field of an event, and null where there is nothing", async () => {
    const { kind, events } = insertKind([
      {
        user_id: user.id,
        event_type: "moderation_action",
        resource_id: "guild-7",
        actor_id: UNKNOWN,
        ip_address: "2001:db8::7",
        user_agent: "Probe/1.0",
        description: "Somebody was kicked",
        metadata: '{"guild":{"id":"7","tags":["a",null,1.5]},"ünï":true}',
        status: "failure",
        error_message: "not allowed",
        country_code: "SE",
        country_name: "Sweden",
        city: "Linköping",
        region: "Östergötland County",
        source_service: "community_bot",
        is_reported: 1,
        created_at: Date.UTC(2026, 4, 4, 9, 30, 0, 7),
      },
      { user_id: user.id, created_at: Date.UTC(2026, 4, 3) },
    ]);
    // The user of an event doesn't see the address and place of another actor.
    const nowhere = {
      ip_address: null,
      user_agent: null,
      country_code: null,
      country_name: null,
      city: null,
      region: null,
    };
    const toSubject = (event: ReturnType<typeof shown>) => ({
      ...event,
      ...(event.actor_id !== null && nowhere),
    });
    for (const { path, token } of lists())
      expect(done(await server.get(`${path}?resource_type=${kind}`, { token }))).toEqual({
        events: events.map(shown).map((event) => (path.includes("/me/") ? toSubject(event) : event)),
        total_count: 2,
        page: 1,
        limit: 20,
        total_pages: 1,
        _links: {
          self: `${path}?page=1&limit=20&resource_type=${kind}`,
          first: `${path}?page=1&limit=20&resource_type=${kind}`,
          last: `${path}?page=1&limit=20&resource_type=${kind}`,
        },
      });
  });

  test("holds 20 events a page, newest first, and at most 100", async () => {
    const { kind, events } = insertKind(
      Array.from({ length: 130 }, (_, n) => ({ user_id: user.id, created_at: Date.UTC(2026, 0, 1) + n })),
    );
    const newestFirst = idsOf(events).reverse();
    for (const { path, token } of lists()) {
      const read = async (query: string): Promise<EventPage> =>
        done(await server.get(`${path}?resource_type=${kind}${query}`, { token }));
      const [byDefault, most, tooMany] = [await read(""), await read("&limit=100"), await read("&limit=101")];
      expect(byDefault).toMatchObject({ page: 1, limit: 20, total_count: 130, total_pages: 7 });
      expect(ids(byDefault)).toEqual(newestFirst.slice(0, 20));
      for (const page of [most, tooMany]) {
        expect(page).toMatchObject({ limit: 100, total_pages: 2 });
        expect(ids(page)).toEqual(newestFirst.slice(0, 100));
      }
      const last = await read("&limit=100&page=2");
      expect(ids(last)).toEqual(newestFirst.slice(100));
      const seven = await read("&page=7");
      expect(ids(seven)).toEqual(newestFirst.slice(120));
    }
  });

  test("links its neighbours, keeps the other parameters, and is empty past its end", async () => {
    const { kind } = insertKind(Array.from({ length: 5 }, () => ({ user_id: user.id })));
    const kept = `resource_type=${kind}&unknown=%20x`;
    for (const { path, token } of lists()) {
      const read = async (page: number): Promise<EventPage> =>
        done(await server.get(`${path}?limit=2&${kept}&page=${page}`, { token }));
      const to = (page: number) => `${path}?page=${page}&limit=2&${kept}`;
      const ends = { first: to(1), last: to(3) };
      expect((await read(1))._links).toEqual({ ...ends, self: to(1), next: to(2) });
      expect((await read(2))._links).toEqual({ ...ends, self: to(2), prev: to(1), next: to(3) });
      expect((await read(3))._links).toEqual({ ...ends, self: to(3), prev: to(2) });
      expect(await read(9)).toEqual({
        events: [],
        total_count: 5,
        page: 9,
        limit: 2,
        total_pages: 3,
        _links: { ...ends, self: to(9), prev: to(3) },
      });
    }
  });

  test("has no page and links to page 1 when nothing is found", async () => {
    for (const { path, token } of lists()) {
      const to = `${path}?page=1&limit=20&event_type=never`;
      expect(done(await server.get(`${path}?event_type=never`, { token }))).toEqual({
        events: [],
        total_count: 0,
        page: 1,
        limit: 20,
        total_pages: 0,
        _links: { self: to, first: to, last: to },
      });
    }
  });

  test("refuses pages and limits that aren't whole numbers of at least 1", async () => {
    for (const { path, token } of lists())
      for (const name of ["page", "limit"])
        for (const value of ["0", "-1", "1.5", "ten", "", "1e1", "0x1", "NaN", "%201"])
          expectInvalid(await server.get(`${path}?${name}=${value}`, { token }), `/${name}`);
  });

  test("takes the largest page number, and finds nothing there", async () => {
    for (const { path, token } of lists())
      for (const page of [Number.MAX_SAFE_INTEGER, "9".repeat(60)])
        expect(done(await server.get(`${path}?page=${page}`, { token })).events).toEqual([]);
  });

  test("is filtered by type, kind of resource and status, alone and together", async () => {
    const { kind, events } = insertKind([
      { user_id: user.id, event_type: "login", status: "success" },
      { user_id: user.id, event_type: "login", status: "failure" },
      { user_id: user.id, event_type: "logout", status: "success" },
      { user_id: user.id, event_type: "logout", status: "failure" },
      { user_id: user.id, event_type: "login", status: "success", resource_type: null },
    ]);
    const [a, b, c, d, e] = idsOf(events);
    const cases: [query: string, found: unknown[]][] = [
      [`resource_type=${kind}`, [d, c, b, a]],
      [`resource_type=${kind}&event_type=login`, [b, a]],
      [`resource_type=${kind}&event_type=LOGIN`, []],
      [`resource_type=${kind}&event_type=logi`, []],
      [`resource_type=${kind}&status=failure`, [d, b]],
      [`resource_type=${kind}&status=success`, [c, a]],
      [`resource_type=${kind}&event_type=logout&status=failure`, [d]],
      [`resource_type=${kind}&event_type=never`, []],
    ];
    for (const { path, token } of lists()) {
      for (const [query, found] of cases) {
        const page: EventPage = done(await server.get(`${path}?${query}`, { token }));
        expect(ids(page)).toEqual(found as string[]);
        expect(page.total_count).toBe(found.length);
      }
      const all: EventPage = done(await server.get(`${path}?event_type=login&limit=100`, { token }));
      expect(ids(all)).toContain(e as string);
      expect(ids(all)).not.toContain(c as string);
    }
  });

  test("refuses statuses and words that can't be, and names them", async () => {
    for (const { path, token } of lists()) {
      for (const query of ["status=ok", "status=", "status=SUCCESS"])
        expectInvalid(await server.get(`${path}?${query}`, { token }), "/status");
      for (const name of ["event_type", "resource_type"])
        for (const value of ["", "x".repeat(65)])
          expectInvalid(await server.get(`${path}?${name}=${value}`, { token }), `/${name}`);
      expect((await server.get(`${path}?event_type=${"x".repeat(64)}`, { token })).status).toBe(200);
    }
  });
});

describe("the list of everybody's events", () => {
  test("is filtered by user, service and report, alone and together, and by system events of no user", async () => {
    const other = await newUser(server);
    const { kind, events } = insertKind([
      { user_id: user.id },
      { user_id: other.id, source_service: "community_bot" },
      { user_id: "discord-4711", source_service: "community_bot", is_reported: 1 },
      { user_id: user.id, source_service: "id", is_reported: 1 },
      { user_id: null },
    ]);
    const [own, others, external, reported, system] = idsOf(events);
    const cases: [query: Record<string, string>, found: unknown[]][] = [
      [{}, [system, reported, external, others, own]],
      [{ user_id: user.id }, [reported, own]],
      [{ user_id: user.id.toUpperCase() }, [reported, own]],
      [{ user_id: "discord-4711" }, [external]],
      [{ user_id: UNKNOWN }, []],
      [{ source_service: "community_bot" }, [external, others]],
      [{ source_service: "stream_bot" }, []],
      [{ is_reported: "true" }, [reported, external]],
      [{ is_reported: "false" }, [system, others, own]],
      [{ is_reported: "true", source_service: "id" }, [reported]],
      [{ is_reported: "false", user_id: user.id }, [own]],
      [{ user_id: other.id, source_service: "id" }, []],
    ];
    for (const [query, found] of cases)
      for (const name of ["created_at", "user_id", "status", "event_type"]) {
        const page = await find(server, { resource_type: kind, sort_field: name, ...query });
        expect(ids(page).sort()).toEqual((found as string[]).toSorted());
        expect(page.total_count).toBe(found.length);
      }
  });

  test("refuses filters and orders that can't be, and names them", async () => {
    const cases: [name: string, ...values: string[]][] = [
      ["source_service", "", "API", "web"],
      ["is_reported", "", "1", "yes", "TRUE"],
      ["sort_field", "", "id", "ip_address", "created_at;"],
      ["sort_direction", "", "DESC", "down"],
      ["user_id", "", "x".repeat(129)],
      ["user_search", "", "x".repeat(255)],
    ];
    for (const [name, ...values] of cases)
      for (const value of values) expectInvalid(await admins(server, { [name]: value }), `/${name}`);
  });

  test("takes the words of another list's filters for nothing: a user's list shows that user alone", async () => {
    const other = await newUser(server);
    const { kind, events } = insertKind([{ user_id: user.id }, { user_id: other.id, source_service: "id" }]);
    const foreign = `user_id=${other.id}&user_search=${other.username}&source_service=id&is_reported=true&sort_field=user_id`;
    for (const path of ["/v1/users/me/audit", `/v1/users/${user.id}/audit`]) {
      const token = path.includes("/me/") ? user.token : server.systemKey;
      const page = done(await server.get(`${path}?resource_type=${kind}&${foreign}`, { token }));
      expect(ids(page)).toEqual([events[0]?.id as string]);
    }
  });
});

describe("bounds in time", () => {
  const BEGIN = "2026-05-04T00:00:00.000Z";
  const END = "2026-05-04T23:59:59.999Z";
  let kind: string;
  beforeAll(() => {
    // One event before the day, three of the day, one after it, each named by a letter.
    const times = {
      "<": Date.parse(BEGIN) - 1,
      0: Date.parse(BEGIN),
      5: Date.parse("2026-05-04T09:30:00Z"),
      9: Date.parse(END),
      ">": Date.parse(END) + 1,
    };
    const named = Object.entries(times).map(([resource_id, created_at]) => ({ resource_id, created_at }));
    ({ kind } = insertKind(named.map((event) => ({ user_id: user.id, ...event }))));
  });

  /** The letters of the events within the bounds, earliest first: the same for each way of reading. */
  async function within(query: Record<string, string>): Promise<string> {
    const found = new Set<string>();
    const ways: Record<string, string>[] = [
      {},
      { user_id: user.id },
      { sort_field: "user_id" },
      { sort_field: "event_type" },
    ];
    for (const way of ways) {
      const asked = { resource_type: kind, sort_direction: "asc", ...query, ...way };
      const { events, total_count } = await find(server, asked);
      expect(total_count).toBe(events.length);
      found.add(events.map(({ resource_id }) => resource_id).join(""));
    }
    expect(found.size).toBe(1);
    return [...found].join();
  }

  test("are inclusive at either end, to the millisecond", async () => {
    expect(await within({})).toBe("<059>");
    expect(await within({ start_date: BEGIN })).toBe("059>");
    expect(await within({ start_date: "2026-05-04T00:00:00.001Z" })).toBe("59>");
    expect(await within({ end_date: END })).toBe("<059");
    expect(await within({ end_date: "2026-05-04T23:59:59.998Z" })).toBe("<05");
    expect(await within({ start_date: BEGIN, end_date: END })).toBe("059");
    expect(await within({ start_date: END, end_date: END })).toBe("9");
    expect(await within({ start_date: END, end_date: BEGIN })).toBe("");
  });

  test("are whole days in UTC when no time is given", async () => {
    expect(await within({ start_date: "2026-05-04" })).toBe("059>");
    expect(await within({ end_date: "2026-05-04" })).toBe("<059");
    expect(await within({ start_date: "2026-05-04", end_date: "2026-05-04" })).toBe("059");
    expect(await within({ start_date: "2026-05-05" })).toBe(">");
    expect(await within({ end_date: "2026-05-03" })).toBe("<");
    expect(await within({ start_date: "2026-05-05", end_date: "2026-05-03" })).toBe("");
  });

  test("may lie in one day, or have an offset", async () => {
    expect(await within({ start_date: "2026-05-04T09:00:00Z", end_date: "2026-05-04T10:00:00Z" })).toBe("5");
    expect(await within({ start_date: "2026-05-04T09:30:00Z", end_date: "2026-05-04T09:30:00Z" })).toBe("5");
    expect(
      await within({ start_date: "2026-05-04T02:00:00+02:00", end_date: "2026-05-04T11:30:00+02:00" }),
    ).toBe("05");
    expect(await within({ start_date: "2026-05-04t09:30:00z" })).toBe("59>");
  });

  test("may be as far away as a date can be", async () => {
    expect(await within({ start_date: "0001-01-01", end_date: "9999-12-31" })).toBe("<059>");
    expect(await within({ start_date: "9999-12-31T23:59:59.999Z" })).toBe("");
    expect(await within({ end_date: "0001-01-01" })).toBe("");
  });

  test("that are no dates are refused", async () => {
    const wrong = ["", "today", "2026", "2026-05", "2026-13-01", "2026-02-30", "04.05.2026", "20260504"];
    for (const value of [
      ...wrong,
      "2026-05-04T09:30",
      "2026-05-04T24:00:00Z",
      "2026-05-04 09:30:00Z",
      "1777852800",
    ])
      for (const name of ["start_date", "end_date"])
        expectInvalid(await admins(server, { [name]: value }), `/${name}`);
  });

  test("find events where the clock has put them, days apart", async () => {
    const moving = await TestServer.start({ clock: "movable" });
    try {
      const write = async () =>
        done(
          await moving.post("/v1/internal/audit", {
            token: moving.systemKey,
            body: {
              user_id: null,
              event_type: "tick",
              resource_type: "clock",
              status: "success",
              source_service: "id",
              metadata: null,
            },
          }),
        ).data as { id: string; created_at: string };
      const written = [await write()];
      for (const days of [1, 3]) {
        await moving.advance(days * DAY);
        written.push(await write());
      }
      const dayOf = (n: number) => written[n]?.created_at.slice(0, 10) as string;
      const found = async (query: Record<string, string>) =>
        ids(await find(moving, { event_type: "tick", sort_direction: "asc", ...query }));
      const [first, second, third] = written.map(({ id }) => id) as [string, string, string];
      expect(Date.parse(dayOf(2)) - Date.parse(dayOf(1))).toBe(3 * DAY);
      expect(await found({})).toEqual([first, second, third]);
      expect(await found({ end_date: dayOf(0) })).toEqual([first]);
      expect(await found({ start_date: dayOf(1) })).toEqual([second, third]);
      expect(await found({ start_date: dayOf(1), end_date: dayOf(1) })).toEqual([second]);
      expect(
        await found({
          start_date: written[0]?.created_at as string,
          end_date: written[1]?.created_at as string,
        }),
      ).toEqual([first, second]);
    } finally {
      await moving.stop();
    }
  });
});

describe("the order", () => {
  test("is by any of the four fields, either way, ties by time and then as they were written", async () => {
    const at = Date.UTC(2026, 2, 1);
    const other = await newUser(server);
    const [low, high] = [user.id, other.id].sort() as [string, string];
    const { kind, events } = insertKind([
      { user_id: high, event_type: "b", status: "success", created_at: at + 1 },
      { user_id: low, event_type: "a", status: "failure", created_at: at + DAY },
      { user_id: high, event_type: "b", status: "success", created_at: at + 1 },
      { user_id: null, event_type: "a", status: "success", created_at: at },
      { user_id: low, event_type: "b", status: "failure", created_at: at + 2 * DAY },
      { user_id: low, event_type: "a", status: "failure", created_at: at },
    ]);
    const [first, second, third, fourth, fifth, sixth] = idsOf(events) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const ascending: Record<string, string[]> = {
      created_at: [fourth, sixth, first, third, second, fifth],
      event_type: [fourth, sixth, second, first, third, fifth],
      status: [sixth, second, fifth, fourth, first, third],
      user_id: [fourth, sixth, second, fifth, first, third],
    };
    for (const [sort_field, order] of Object.entries(ascending)) {
      const read = async (more: object) =>
        ids(await find(server, { resource_type: kind, sort_field, ...more }));
      expect(await read({ sort_direction: "asc" })).toEqual(order);
      expect(await read({ sort_direction: "desc" })).toEqual(order.toReversed());
      expect(await read({})).toEqual(order.toReversed());
    }
    expect(ids(await find(server, { resource_type: kind, sort_direction: "asc" }))).toEqual(
      ascending.created_at as string[],
    );
  });
});

describe("the search for users", () => {
  test("finds by identifier, by any part of the username, in any case", async () => {
    const skipper = await newUser(server);
    const { kind, events } = insertKind([{ user_id: skipper.id }, { user_id: user.id }]);
    const own = [events[0]?.id as string];
    const found = async (user_search: string) =>
      ids(await find(server, { resource_type: kind, user_search }));
    const part = skipper.username.slice(1);
    for (const text of [
      skipper.id,
      skipper.id.toUpperCase(),
      skipper.username,
      skipper.username.toUpperCase(),
      part,
    ])
      expect(await found(text)).toEqual(own);
    for (const text of [
      skipper.id.slice(0, -1),
      `${skipper.username}_`,
      ` ${skipper.username}`,
      "nobody at all",
    ])
      expect(await found(text)).toEqual([]);
  });

  test("finds by a part of any of the addresses, in any case", async () => {
    const sailor = await signInExternally(server, externalLogin({ email: "Anna.Boje@Harbour.example.org" }));
    await link(server, { id: sailor.id, email: sailor.email }, "twitch");
    onDatabase(server, (database) =>
      database.run(
        "UPDATE platform_accounts SET email = 'second%ADDRESS_x@lake.example.org' WHERE user_id = ? AND id <> ?",
        [sailor.id, sailor.primary_platform_account_id],
      ),
    );
    const { kind, events } = insertKind([{ user_id: sailor.id }, { user_id: user.id }]);
    const own = [events[0]?.id as string];
    const found = async (user_search: string) =>
      ids(await find(server, { resource_type: kind, user_search }));
    for (const text of ["anna.boje@harbour.example.org", "ANNA.BOJE", "boje@har", "second%address", "@LAKE."])
      expect(await found(text)).toEqual(own);
    expect(await found("@river.")).toEqual([]);
  });

  test("takes % and _ for what they are", async () => {
    const [one, two] = [await newUser(server), await newUser(server)];
    onDatabase(server, (database) => {
      database.run("UPDATE users SET username = 'mast_head' WHERE id = ?", [one.id]);
      database.run("UPDATE users SET username = 'mastxhead' WHERE id = ?", [two.id]);
    });
    const { kind, events } = insertKind([{ user_id: one.id }, { user_id: two.id }]);
    const found = async (user_search: string) =>
      ids(await find(server, { resource_type: kind, user_search }));
    expect(await found("mast_head")).toEqual([events[0]?.id as string]);
    expect(await found("mast%")).toEqual([]);
    expect(await found("mast*")).toEqual([]);
    expect(await found("mast?head")).toEqual([]);
    expect(await found("'")).toEqual([]);
    expect((await found("mast")).sort()).toEqual(idsOf(events).sort());
  });

  test("finds the identifiers of other services, whole and in their own case", async () => {
    const { kind, events } = insertKind([
      { user_id: "Discord:4711", source_service: "community_bot" },
      { user_id: "discord:47", source_service: "community_bot" },
    ]);
    const found = async (user_search: string) =>
      ids(await find(server, { resource_type: kind, user_search }));
    expect(await found("Discord:4711")).toEqual([events[0]?.id as string]);
    expect(await found("discord:47")).toEqual([events[1]?.id as string]);
    expect(await found("iscord:47")).toEqual([]);
  });

  test("and a user must both hold, and a search holds beside every other filter", async () => {
    const mate = await newUser(server);
    const { kind, events } = insertKind([
      { user_id: mate.id },
      { user_id: mate.id, status: "failure", created_at: Date.UTC(2026, 4, 4) },
      { user_id: user.id },
    ]);
    const found = async (more: Record<string, string>) =>
      ids(await find(server, { resource_type: kind, user_search: mate.username, ...more }));
    expect(await found({ user_id: mate.id })).toEqual([events[0]?.id as string, events[1]?.id as string]);
    expect(await found({ user_id: user.id })).toEqual([]);
    expect(await found({ status: "failure" })).toEqual([events[1]?.id as string]);
    expect(await found({ end_date: "2026-05-04" })).toEqual([events[1]?.id as string]);
    expect(await found({ event_type: "logout" })).toEqual([]);
  });

  test("finds several users' events in one order, page by page", async () => {
    const crew = [await newUser(server), await newUser(server), await newUser(server)];
    onDatabase(server, (database) => {
      for (const [n, { id }] of crew.entries())
        database.run("UPDATE users SET username = ? WHERE id = ?", [`deckhand_${n}`, id]);
    });
    const { kind, events } = insertKind(
      Array.from({ length: 12 }, (_, n) => ({
        user_id: crew[n % 3]?.id as string,
        created_at: Date.UTC(2026, 4, 4) + (n % 5) * DAY,
      })),
    );
    const expected = events
      .map((event, at) => ({ ...event, at }))
      .sort((a, b) => b.created_at - a.created_at || b.at - a.at);
    const pages = await Promise.all(
      [1, 2, 3].map((page) => find(server, { resource_type: kind, user_search: "deckhand", limit: 5, page })),
    );
    expect(pages.flatMap(ids)).toEqual(idsOf(expected));
    expect(pages[0]).toMatchObject({ total_count: 12, total_pages: 3 });
  });

  test("that means more than 500 users is refused; 500 are searched", async () => {
    const member = Bun.randomUUIDv7();
    onDatabase(server, (database) => {
      const insert = database.prepare(
        `INSERT INTO users (id, username, privacy_mode, avatars_enabled, created_at, updated_at)
         SELECT ?, ?, privacy_mode, avatars_enabled, created_at, updated_at FROM users WHERE id = ?`,
      );
      for (let n = 0; n < 500; n++) insert.run(n === 499 ? member : Bun.randomUUIDv7(), `crowd${n}`, user.id);
    });
    const { kind, events } = insertKind([{ user_id: member }, { user_id: user.id }]);
    const found = await find(server, { user_search: "crowd", resource_type: kind });
    expect(ids(found)).toEqual([events[0]?.id as string]);

    onDatabase(server, (database) =>
      database.run("UPDATE users SET username = 'crowd500' WHERE id = ?", [user.id]),
    );
    const refused = await admins(server, { user_search: "crowd" });
    expectRefused(refused, 400, "BadRequest");
    expect(refused.body.message).toContain("500");
  });
});
