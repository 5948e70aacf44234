import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accountsOf, accountsState } from "../../identity/accounts/support";
import type { Answer } from "../../support/api";
import { changesOf } from "../../support/events";
import { done, expectInvalid } from "../../support/expectations";
import { type ExternalUser, externalLogin, externalUser, upsert } from "../../support/people";
import { rows } from "../../support/rows";
import { TestServer } from "../../support/server";

/** Every stored web address is kept in its parsed form, and is http or https. */
const APP = "https://app.example";
let server: TestServer;
let user: ExternalUser;
let clientId: string;
beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      "integrations.allowed_redirects": APP,
      "integrations.twitch.client_id": "id",
      "integrations.twitch.client_secret": "secret",
    },
  });
  user = await externalUser(server);
  const created = await server.post("/v1/oauth/clients", { token: user.token, body: CLIENT });
  clientId = done(created).client.id;
});
afterAll(() => server.stop());

const CLIENT = { name: "Crew app", redirect_uris: [`${APP}/callback`] };

interface Place {
  field: string;
  send: (address: string) => Promise<Answer>;
  stored: (answer: Answer, address: string) => unknown;
}

const ofClient = (field: string): Place[] => [
  {
    field,
    send: (address) =>
      server.post("/v1/oauth/clients", { token: user.token, body: { ...CLIENT, [field]: address } }),
    stored: ({ body }) =>
      rows<Record<string, unknown>>(server, "SELECT * FROM oauth_clients WHERE id = ?", body.client.id)[0]?.[
        field
      ],
  },
  {
    field,
    send: (address) =>
      server.patch(`/v1/oauth/clients/${clientId}`, { token: user.token, body: { [field]: address } }),
    stored: ({ body }) => body.data[field],
  },
];

const PLACES: Place[] = [
  ...["logo_url", "homepage_url", "privacy_policy_url", "terms_of_service_url"].flatMap(ofClient),
  {
    field: "avatar_url",
    send: (avatar_url) => server.patch(`/v1/users/${user.id}`, { token: user.token, body: { avatar_url } }),
    stored: async () => (await accountsOf(server, user.id))[0].avatar_url,
  },
  {
    field: "image",
    send: (image) => upsert(server, externalLogin({ image })),
    stored: ({ body }) => body.data.avatar_url,
  },
  {
    field: "image",
    send: (image) =>
      upsert(server, { ...externalLogin(), oauthProviderId: user.providerId, email: user.email, image }),
    stored: ({ body }) => body.data.avatar_url,
  },
];

const at = (address: string) => address.replace("HOST", "app.example");

describe.each(PLACES.map((place, number) => [place.field, number, place] as const))(
  "%s (%i)",
  (_, __, place) => {
    test.each([
      ["https://HOST", "https://HOST/"],
      ["https://HOST:443/a/../b/./c?q=1#top", "https://HOST/b/c?q=1#top"],
      ["http://HOST\\b", "http://HOST/b"],
      ["https://APP.Example/Ä b", "https://HOST/%C3%84%20b"],
      ["https://HOST/a|b^[1]?c={d}`", "https://HOST/a%7Cb%5E%5B1%5D?c=%7Bd%7D%60"],
      ["http://[::1]/a[1]", "http://[::1]/a%5B1%5D"],
      ["http://0x7f.1/x", "http://127.0.0.1/x"],
      ["https://faß.example/", "https://xn--fa-hia.example/"],
      [
        "https://HOST/\"><script>alert('1')</script>",
        "https://HOST/%22%3E%3Cscript%3Ealert('1')%3C/script%3E",
      ],
    ])("is stored as parsed: %j", async (sent, kept) => {
      const answer = await place.send(at(sent));
      expect(answer.status).toBeLessThan(300);
      expect(await place.stored(answer, at(sent))).toBe(at(kept));
    });

    test.each([
      ...[
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://app.example/",
        "//app.example/",
      ],
      ...["https://", "https:app.example", "app.example", "https://[::1", "https://app.example:99999/", ""],
      ...[
        "https://anna@app.example/",
        "https://anna:secret@app.example/",
        "https://app.example:x@evil.example/",
      ],
      ...[
        " https://app.example/",
        "https://app.example/ ",
        "https://app.exam\tple/",
        "https://app.example/\r\nx",
      ],
      ...["https://app.example/\u0000", "https://app.example/\u007f", "\u00a0https://app.example/"],
      // Within bounds as it is sent, and beyond them as it is stored.
      `https://app.example/${"⚓".repeat(300)}`,
    ])("refuses %j, and changes nothing", async (address) => {
      const before = [accountsState(server), rows(server, "SELECT * FROM oauth_clients ORDER BY id")];
      expectInvalid(await place.send(address), `/${place.field}`);
      expect([accountsState(server), rows(server, "SELECT * FROM oauth_clients ORDER BY id")]).toEqual(
        before,
      );
    });
  },
);

test("the same address in another form is no change", async () => {
  const someone = await externalUser(server);
  const patch = (avatar_url: string) =>
    server.patch(`/v1/users/${someone.id}`, { token: someone.token, body: { avatar_url } });
  for (const address of [APP, `${APP}/`, `${APP}:443`]) done(await patch(address));
  expect(changesOf(server, someone.id)).toEqual([["avatar_url"]]);
});

test("redirect URIs of a client, which are compared as they were registered, stay as they are", async () => {
  const redirect_uris = ["https://app.example", "https://APP.example:443/cb", "com.example.app:/callback"];
  const change = { token: user.token, body: { redirect_uris } };
  const { data } = done(await server.patch(`/v1/oauth/clients/${clientId}`, change));
  expect(data.redirect_uris).toEqual(redirect_uris);
});

describe("the page on which connecting an account ends", () => {
  const connect = (redirect_uri: string) =>
    server.post("/v1/integrations/platform/twitch/connect", { token: user.token, body: { redirect_uri } });

  test("is stored as parsed", async () => {
    done(await connect(`${APP}:443/a/../settings?tab=1`));
    const stored = rows<{ redirect_uri: string }>(
      server,
      "SELECT redirect_uri FROM integration_states WHERE user_id = ?",
      user.id,
    );
    expect(stored).toEqual([{ redirect_uri: `${APP}/settings?tab=1` }]);
  });

  test.each(["https://anna@app.example/", "https://app.example/\n", "javascript:alert(1)"])(
    "is refused as %j",
    async (address) => expectInvalid(await connect(address), "/redirect_uri"),
  );
});
