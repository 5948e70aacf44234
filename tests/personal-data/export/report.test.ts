import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getDocumentProxy } from "unpdf";
import { EVENT_TYPES } from "../../../src/identity/audit/event-types";
import { english } from "../../../src/personal-data/export/english";
import { german } from "../../../src/personal-data/export/german";
import { insertEvents } from "../../identity/audit-log/support";
import { newClient, tokensFor } from "../../identity/oauth/support";
import { newAuthenticator, register } from "../../identity/passkeys/support";
import type { Token } from "../../support/api";
import { commandLineKey } from "../../support/credentials";
import { done } from "../../support/expectations";
import { externalLogin, externalUser, newUser, signInExternally } from "../../support/people";
import { onDatabase } from "../../support/rows";
import { APP_KEY, TestServer } from "../../support/server";
import { exported, fill, NAMES, pagesOf, type Rich, richUser, SETTINGS, squeeze, textOf } from "./support";

let server: TestServer;
let user: Rich;
/** The texts of that user's reports. */
let reports: Record<"en" | "de", string>;
beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: SETTINGS });
  user = await richUser(server);
  reports = { en: await reportOf(user.token, "en"), de: await reportOf(user.token, "de") };
});
afterAll(() => server.stop());

const reportOf = async (token: Token, language?: string): Promise<string> =>
  textOf(
    (await exported(server, token, language ? { "accept-language": language } : {})).files["report.pdf"],
  );

const WORDS = {
  en: [
    "Your data on localhost",
    "Platform accounts",
    "Identities at providers",
    "API keys",
    "Consents to applications",
    "Two-factor authentication",
    "Connected applications",
    "Own applications",
    "Open sessions",
    "Activity",
    "Earlier exports",
    "Backup codes left10",
    "Scheduled for",
    "Signed in",
    "The password was changed",
    "The newest 40 of",
    "Page 1 of",
  ],
  de: [
    "Deine Daten auf localhost",
    "Plattformkonten",
    "Identitäten bei Anbietern",
    "API-Schlüssel",
    "Zustimmungen zu Anwendungen",
    "Zwei-Faktor-Authentifizierung",
    "Verbundene Anwendungen",
    "Eigene Anwendungen",
    "Offene Sitzungen",
    "Aktivität",
    "Frühere Exporte",
    "Verbleibende Backup-Codes10",
    "Vorgemerkt für",
    "Angemeldet",
    "Das Passwort wurde geändert",
    "Die neuesten 40 von",
    "Seite 1 von",
  ],
} as const;

/** Names on the platforms of one user. */
const ALPHABETS = {
  discord:
    "ÀÁÂÃÄÅĀĂĄ ÆÇĆĈĊČ ĎĐ ÈÉÊËĒĖĘĚ ĜĞĠĢ ĤĦ ÌÍÎÏĪĮİ ĴĶĹĻĽŁ ÑŃŅŇ ÒÓÔÕÖØŌŐŒ ŔŘ ŚŜŞŠȘ ßẞ ŢŤȚ ÙÚÛÜŪŮŰŲ ŴÝŶŸ ŹŻŽ ÞÐ",
  twitch:
    "àáâãäåāăą æçćĉċč ďđ èéêëēėęě ĝğġģ ĥħ ìíîïīįı ĵķĺļľł ñńņň òóôõöøōőœ ŕř śŝşšș ţťț ùúûüūůűų ŵýŷÿ źżž þð",
  youtube:
    "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ абвгдеёжзийклмнопрстуфхцчшщъыьэюя ЄІЇҐєіїґ ЂЈЉЊЋЏђјљњћџ ЃЅЌѓѕќ Ўў",
  github: "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ αβγδεζηθικλμνξοπρσςτυφχψω ΆΈΉΊΌΎΏΪΫ άέήίόύώϊϋΐΰ",
};

const notIn = (text: string, words: readonly string[]) =>
  words.filter((word) => !text.includes(squeeze(word)));

describe("report.pdf", () => {
  test.each(["en", "de"] as const)(
    "tells of everything in %s, and of nothing in the other language",
    (language) => {
      const text = reports[language];
      expect(notIn(text, WORDS[language])).toEqual([]);
      const other = WORDS[language === "en" ? "de" : "en"];
      expect(other.filter((word) => text.includes(squeeze(word)))).toEqual([]);
      expect(
        notIn(text, [user.username, user.id, user.email, "Crew app", "Öffentliche App", "two_factor:read"]),
      ).toEqual([]);
      expect(
        notIn(text, ["203.0.113.77", "2001:db8::17", "Firefox, Linux", "Moderator", "elsewhere"]),
      ).toEqual([]);
    },
  );

  test("shows Latin with accents, Cyrillic and Greek as they came", () => {
    for (const text of Object.values(reports))
      expect(notIn(text, [...Object.values(NAMES), "Ключ · Boje 7"])).toEqual([]);
  });

  test("shows every letter of these alphabets", async () => {
    const person = await externalUser(server, { name: ALPHABETS.discord });
    for (const oauthProvider of ["twitch", "youtube", "github"] as const)
      await signInExternally(
        server,
        externalLogin({ email: person.email, oauthProvider, name: ALPHABETS[oauthProvider] }),
      );
    expect(notIn(await reportOf(person.token), Object.values(ALPHABETS))).toEqual([]);
  });

  test("is made whatever a name holds, and shows the rest of it", async () => {
    const name =
      "before 船長 🚢👩‍✈️ שלום مرحبا \u0000\u0007\n\t\u202e e\u0301\u0302\u0303 ﬁ \u{1F1E9}\u{1F1EA} after";
    const person = await externalUser(server, { name });
    const text = await reportOf(person.token);
    expect(notIn(text, ["before", "after"])).toEqual([]);
  });

  test("shows long words without a blank whole", async () => {
    const name = `${"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2)}ende`;
    const email = `${"a".repeat(64)}@${"b".repeat(60)}.${"c".repeat(60)}.example`;
    const person = await externalUser(server, { name, email });
    const text = await reportOf(person.token);
    expect(notIn(text, [name, email])).toEqual([]);
  });

  test("shows a row that is longer than a page", async () => {
    const scopes = Array.from({ length: 100 }, (_, n) => `thing_${n}:do`);
    const person = await externalUser(server);
    const { key } = await commandLineKey(server, { owner: person.username, scopes: ["gps:read"] });
    // Written past the server, which knows no such permissions.
    onDatabase(server, (database) => {
      const values = [JSON.stringify([...scopes, ...scopes]), person.id];
      database.run("UPDATE api_keys SET scopes = ? WHERE owner_id = ?", values);
    });
    const text = await reportOf(key, "en");
    expect(text).toContain("madebycommand");
    expect(notIn(text, scopes)).toEqual([]);
  });

  test("shows the newest 40 of a list, says of how many, and numbers its pages", async () => {
    const person = await externalUser(server);
    fill(server, person.id, { events: 1_500, sessions: 41, logs: 40 });
    const { files } = await exported(server, person.token, { "accept-language": "en" });
    const pages = await pagesOf(files["report.pdf"]);
    const text = squeeze(pages.join(""));
    // Signing in added one of each: an event (of two), and a session.
    expect(text).toContain(squeeze("Open sessions The newest 40 of 42"));
    expect(text).toMatch(/ActivityThenewest40of1,50\d/);
    expect(text).toContain(squeeze("Earlier exports 40 in all"));
    expect(text.match(/Signedin203\.0\.113\.7/g)?.length).toBeGreaterThanOrEqual(37);
    expect(pages.length).toBeGreaterThan(3);
    for (const [n, page] of pages.entries()) expect(squeeze(page)).toEndWith(`Page${n + 1}of${pages.length}`);
  });

  test("says in German how many there are", async () => {
    const person = await externalUser(server);
    fill(server, person.id, { events: 1_500 });
    expect(await reportOf(person.token, "de")).toMatch(/Dieneuesten40von1\.50\d/);
  });

  test("names passkeys, and what applications were allowed", async () => {
    const person = await newUser(server);
    await register(server, person.token, newAuthenticator(server), { name: "Key on the wheel" });
    await tokensFor(server, await newClient(server, { name: "Crew list" }), person.token, "openid email");
    const text = await reportOf(person.token, "en");
    expect(text).toContain(
      squeeze("Passkeys 1 in all Name Authenticator Created Last used Key on the wheel"),
    );
    expect(text).toMatch(/Consentstoapplications1inall.*Crewlistopenid,email/);
  });

  test("says of what there is none", async () => {
    const person = await externalUser(server);
    const text = await reportOf(person.token, "en");
    for (const section of [
      "Passkeys",
      "Identities at providers",
      "API keys",
      "Connected applications",
      "Own applications",
      "Earlier exports",
    ])
      expect(text).toContain(squeeze(`${section} None`));
  });

  test("names events of types that other services made up by these types, whatever they are", async () => {
    const types = ["constructor", "__proto__", "hasownproperty", "a_type_of_a_service"];
    const person = await externalUser(server);
    for (const event_type of types) {
      const about = { user_id: person.id, resource_type: "thing", metadata: null };
      const body = { ...about, event_type, status: "failure", source_service: "backend" };
      done(await server.post("/v1/internal/audit", { headers: { "x-id-app-key": APP_KEY }, body }));
    }
    const shown = types.map((type) => `${type}–Refused`);
    expect(notIn(await reportOf(person.token, "en"), shown)).toEqual([]);
  });

  test("shows where something was done from", async () => {
    const person = await externalUser(server);
    insertEvents(server, [
      {
        user_id: person.id,
        ip_address: "203.0.113.201",
        city: "Lübeck",
        country_name: "Germany",
        created_at: Date.now() + 1_000,
      },
    ]);
    expect(await reportOf(person.token)).toContain("203.0.113.201,Lübeck,Germany");
  });
});

describe("the language", () => {
  const languageOf = async (token: Token, accepted?: string) => {
    const text = await reportOf(token, accepted);
    return text.startsWith("Yourdata") ? "en" : text.startsWith("DeineDaten") ? "de" : text.slice(0, 20);
  };

  test("is the user's own before the browser's, and else the browser's, and else English", async () => {
    const person = await externalUser(server);
    const choose = async (locale: string | null) =>
      done(
        await server.patch(`/v1/users/${person.id}/locale`, { token: server.systemKey, body: { locale } }),
      );
    expect(await languageOf(person.token)).toBe("en");
    expect(await languageOf(person.token, "fr, it")).toBe("en");
    expect(await languageOf(person.token, "fr, de-CH;q=0.7, en;q=0.3")).toBe("de");
    await choose("de");
    expect(await languageOf(person.token, "en")).toBe("de");
    await choose("en");
    expect(await languageOf(person.token, "de")).toBe("en");
    const logged = (await server.get("/v1/user/export/logs", { token: person.token })).body.logs;
    expect(logged.map(({ locale }: { locale: string }) => locale)).toEqual(["en", "de", "de", "en", "en"]);
  });

  test("is the installation's first where nobody says another", async () => {
    const germanFirst = await TestServer.start({ settings: { "email.supported_locales": "de,en" } });
    try {
      const { files } = await exported(germanFirst, await germanFirst.admin());
      expect(await textOf(files["report.pdf"])).toStartWith("DeineDaten");
    } finally {
      await germanFirst.stop();
    }
  });
});

describe("the words", () => {
  test.each(Object.entries({ english, german }))(
    "in %s name every type of event, each in its own way",
    (_, words) => {
      expect(Object.keys(words.events).toSorted()).toEqual(Object.keys(EVENT_TYPES).toSorted());
      const named = Object.values(words.events);
      expect(named.filter((name) => name.trim() === "" || name.includes("_"))).toEqual([]);
      expect(new Set(named).size).toBe(named.length);
    },
  );

  test("are other words in each language", () => {
    const same = (Object.keys(english.events) as (keyof typeof EVENT_TYPES)[]).filter(
      (type) => english.events[type] === german.events[type],
    );
    expect(same).toEqual([]);
  });
});

test("everything stays within the margins, however wide the letters are, and Greek with breathings is there", async () => {
  const greek = "Ἀθῆναι πολυτονικό ὕδωρ";
  const { id, token } = await externalUser(server);
  const names = ["W".repeat(200), "m".repeat(40), "Ж".repeat(60), greek];
  onDatabase(server, (database) => {
    const insert = database.prepare(
      `INSERT INTO api_keys (id, owner_id, key_hash, key_prefix, name, scopes, created_at, updated_at)
       VALUES (?, ?, ?, 'flk_xxxxxxxx', ?, '["gps:read","gps:write"]', 0, 0)`,
    );
    for (const name of names) insert.run(crypto.randomUUID(), id, crypto.randomUUID(), name);
  });
  const pdf = (await exported(server, token)).files["report.pdf"];
  expect(await textOf(pdf)).toContain(squeeze(greek));
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const rightEdges: number[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const { items } = await (await document.getPage(number)).getTextContent();
    for (const item of items) if ("transform" in item) rightEdges.push(item.transform[4] + item.width);
  }
  expect(rightEdges.length).toBeGreaterThan(100);
  // A4 is 595.28 points wide, and its margin 48.
  expect(Math.max(...rightEdges)).toBeLessThan(595.28 - 48 + 1);
});
