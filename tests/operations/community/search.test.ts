import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CommunityBot, Member } from "../../realtime/community-bot";
import { TestServer } from "../../support/server";
import { connectBot, guild, member, requests, Told } from "./support";

/** Finding members (rules M4, H4 and H5). */
let server: TestServer;
let told: Told;
let bot: CommunityBot;
let id: string;
let { get, sync, syncMembers, idOf } = {} as ReturnType<typeof requests>;
beforeAll(async () => {
  server = await TestServer.start();
  ({ get, sync, syncMembers, idOf } = requests(server));
  told = new Told();
  told.all.guilds = [guild()];
  bot = await connectBot(server, told);
  await sync();
  id = await idOf();
});
afterAll(async () => {
  await bot.close();
  await server.stop();
});

/** Has the bot report these members. */
async function store(...members: Member[]): Promise<void> {
  told.memberList = members;
  expect((await syncMembers()).body.members_synced).toBe(members.length);
}

const find = async (query = "") => (await get(`/guilds/${id}/members?${query}`)).body;
const userIds = (body: { members: { user_id: string }[] }) => body.members.map((one) => one.user_id);

describe("a list of members", () => {
  const COUNT = 130;
  const userIdOf = (at: number) => String(1_000 + at);
  const NAMES = [
    "Anna",
    "bernd",
    "JÖRG",
    "Straße",
    "O'Neill",
    "李小龙",
    "x",
    "50%",
    "under_score",
    '"quoted"',
  ];
  const people = Array.from({ length: COUNT }, (_, at) =>
    member(userIdOf(at), {
      username: `${(NAMES[at % NAMES.length] as string).toLowerCase()}${at}`,
      ...(at % 3 === 0 && { globalName: `Captain ${NAMES[(at * 7) % NAMES.length]}` }),
      ...(at % 4 === 0 && { nickname: `Nick of ${at}` }),
      bot: at % 5 === 0,
      roles: ["1", ...(at % 2 === 0 ? ["2"] : []), ...(at < 3 ? ["3"] : []), String(10_000 + at)],
    }),
  );
  beforeAll(() => store(...people));

  interface Filters {
    search?: string;
    bot_only?: boolean;
    humans_only?: boolean;
    has_role?: string;
  }

  /** The members that a plain reading of the filters finds, newest first. */
  const expected = ({ search, bot_only, humans_only, has_role }: Filters): string[] =>
    people
      .filter(({ username, globalName, nickname, bot, roles }) => {
        const wanted = search?.toLowerCase();
        const holds = [username, globalName, nickname].some((name) =>
          name?.toLowerCase().includes(wanted ?? ""),
        );
        return (
          holds && (!bot_only || bot) && (!humans_only || !bot) && (!has_role || roles?.includes(has_role))
        );
      })
      .map(({ userId }) => userId)
      .reverse();

  const TEXTS = [
    undefined,
    "a",
    "an",
    "ann",
    "ANNA",
    "captain j",
    "nick of 1",
    "jörg1",
    "%",
    "_",
    '"',
    "nobody",
  ];
  const ROLES = [undefined, "1", "2", "3", "10007", "99"];
  const KINDS: Filters[] = [
    {},
    { bot_only: true },
    { humans_only: true },
    { bot_only: true, humans_only: true },
  ];
  const combinations: Filters[] = TEXTS.flatMap((search) =>
    ROLES.flatMap((has_role) =>
      KINDS.map((kind) => ({ ...kind, ...(search && { search }), ...(has_role && { has_role }) })),
    ),
  );
  const queryOf = (filters: object) =>
    new URLSearchParams(Object.entries(filters).map(([key, value]) => [key, String(value)])).toString();

  test("holds exactly those who pass all filters, whatever their combination", async () => {
    expect(combinations.filter((filters) => expected(filters).length > 0).length).toBeGreaterThan(80);
    for (const filters of combinations) {
      const wanted = expected(filters);
      const body = await find(`${queryOf(filters)}&limit=100`);
      expect([filters, userIds(body), body.total_count, body.has_more]).toEqual([
        ...[filters, wanted.slice(0, 100), wanted.length],
        wanted.length > 100,
      ]);
    }
  });

  test("is complete page by page, in one order", async () => {
    for (const filters of [
      {},
      { humans_only: true },
      { has_role: "2" },
      { search: "nick of" },
      { search: "n" },
    ]) {
      const wanted = expected(filters);
      const seen: string[] = [];
      for (let more = true; more; ) {
        const body = await find(`${queryOf(filters)}&limit=7&offset=${seen.length}`);
        seen.push(...userIds(body));
        expect(body.total_count).toBe(wanted.length);
        expect(body.has_more).toBe(seen.length < wanted.length);
        more = body.has_more;
      }
      expect(seen).toEqual(wanted);
    }
  });

  test("holds 50 where no limit is given, at most 100, and all for an empty search", async () => {
    const lengths = [];
    for (const query of [
      "",
      "limit=1",
      "limit=100",
      "limit=101",
      `limit=${"9".repeat(300)}`,
      "search=&limit=100",
    ])
      lengths.push((await find(query)).members.length);
    expect(lengths).toEqual([50, 1, 100, 100, 100, 100]);
  });

  test("is empty beyond its end, wherever that is", async () => {
    for (const offset of [COUNT, COUNT + 1, 2 ** 53, "9".repeat(300)])
      expect(await find(`offset=${offset}`)).toEqual({ members: [], total_count: COUNT, has_more: false });
  });

  test.each([
    ...[
      "limit=0",
      "limit=-1",
      "limit=x",
      "limit=1.5",
      "offset=-1",
      "offset=x",
      "bot_only=1",
      "humans_only=yes",
    ],
    ...["has_role=", "has_role=x", `has_role=${"1".repeat(21)}`, `search=${"x".repeat(201)}`],
  ])("is refused for %s", async (query) => {
    expect((await get(`/guilds/${id}/members?${query}`)).status).toBe(400);
  });
});

describe("a search takes for plain text", () => {
  const STRANGE = [
    ...[
      "%",
      "_",
      "%%%",
      "___",
      "*",
      "a*",
      '"',
      '""',
      '"""',
      'a"b"c',
      "'",
      "''",
      "' OR 1=1 --",
      "\\",
      "\\\\\\",
    ],
    ...[
      "AND",
      "OR",
      "NOT",
      "NEAR",
      "a AND b",
      "NEAR(a b)",
      "anna OR bernd",
      "names:anna",
      "{names}:anna",
      "^anna",
    ],
    ...[
      "(",
      ")",
      "(((",
      "-anna",
      "+++",
      "a+b",
      ";",
      "; DROP TABLE community_members",
      "{}",
      "[a-z]",
      "?",
      "???",
    ],
    ...[
      "\u0000",
      "a\u0000b",
      "abc\u0000def",
      "\u001f",
      "\n",
      "a\nb c",
      "\t\t\t",
      "   ",
      "\u200b\u200b\u200b",
    ],
    ...["🌊", "🌊🌊🌊", "👨‍👩‍👧", "𝓐𝓷𝓷𝓪", "李小龙", "ﬁn", "नमस्ते", "\ufffd\ufffd\ufffd", "x".repeat(198)],
  ];
  beforeAll(() =>
    store(
      ...STRANGE.map((text, at) => member(String(1 + at), { username: "plain", nickname: `<${text}>` })),
      member("900", { username: "anna", nickname: "bernd" }),
    ),
  );

  test.each(STRANGE.map((text, at): [string, string] => [JSON.stringify(text), String(1 + at)]))(
    "%s",
    async (json, userId) => {
      const text: string = JSON.parse(json);
      const { status, body } = await get(
        `/guilds/${id}/members?limit=100&search=${encodeURIComponent(`<${text}>`)}`,
      );
      expect(status).toBe(200);
      // The index doesn't distinguish NUL from the unit separator.
      const isOneOfTwo = text === "\u0000" || text === "\u001f";
      if (isOneOfTwo) expect(userIds(body)).toContain(userId);
      else expect(userIds(body)).toEqual([userId]);
      const alone = await get(`/guilds/${id}/members?limit=100&search=${encodeURIComponent(text)}`);
      expect(alone.status).toBe(200);
      expect(userIds(alone.body)).toContain(userId);
    },
  );

  test("what would run on from one name into the next", async () => {
    for (const text of ["annabernd", "anna bernd", "anna\nbernd", "annab", "nab"])
      expect([text, (await find(`search=${encodeURIComponent(text)}`)).total_count]).toEqual([text, 0]);
  });
});

describe("a search ignores case", () => {
  const pairs: [name: string, search: string][] = [
    ["Jörg Öhlschläger", "ÖHLSCHLÄGER"],
    ["ÜBERSEE", "über"],
    ["Straße", "STRASSE"],
    ["STRASSE", "straße"],
    ["ΟΔΥΣΣΕΥΣ", "οδυσσευς"],
    ["Οδυσσεύς", "ΣΕΎΣ"],
    ["ЛЁША", "лёша"],
    ["İstanbul", "İSTANBUL"],
    ["Rene\u0301", "René"],
    ["André", "ANDRE\u0301"],
    ["ĲSSELMEER", "ĳs"],
    ["Ǆ", "ǆ"],
  ];
  test.each(pairs)("%s is found by %s", async (nickname, search) => {
    await store(member("1", { nickname }), member("2"));
    expect(userIds(await find(`search=${encodeURIComponent(search)}`))).toEqual(["1"]);
  });
});
