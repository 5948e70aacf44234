import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeIn } from "../../identity/two-factor/support";
import { done } from "../../support/expectations";
import { externalUser } from "../../support/people";
import { APP_KEY, TestServer } from "../../support/server";
import { type Archive, exported, type Rich, richUser, SETTINGS, squeeze, textOf } from "./support";

let server: TestServer;
let user: Rich;
let archives: Archive[];
/** All readable content of the archives: their bytes, and the text of the reports, each without blanks. */
let contents: string[];

beforeAll(async () => {
  server = await TestServer.start({ clock: "movable", settings: SETTINGS });
  user = await richUser(server);
  archives = [
    await exported(server, user.token),
    await exported(server, user.token, { "accept-language": "de" }),
  ];
  const texts = await Promise.all(archives.map(({ files }) => textOf(files["report.pdf"])));
  const files = archives.flatMap(({ bytes, files }) => [bytes, ...Object.values(files)]);
  contents = [
    ...texts,
    ...files.flatMap((file) => [squeeze(file.toString()), squeeze(file.toString("latin1"))]),
  ];
});
afterAll(() => server.stop());

/** A secret, and the other forms in which its bytes may be written. */
function formsOf(secret: string): string[] {
  const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
  if (/^[A-Za-z0-9+/]{40,}=*$/.test(secret)) {
    const bytes = Buffer.from(secret, "base64");
    forms.push(bytes.toString("base64url"), bytes.toString("hex"));
  }
  return [...new Set([...forms, secret.replaceAll("-", "")].map(squeeze))];
}

const isShown = (text: string) => contents.some((content) => content.includes(squeeze(text)));

test("no secret that the user ever had is in any file, as it was shown nor as it was stored", () => {
  const kinds = { ses_: 5, "2fa_": 2, flk_: 4, fls_: 2, $argon2id$: 4 };
  for (const [prefix, least] of Object.entries(kinds))
    expect([...user.secrets].filter((secret) => secret.startsWith(prefix)).length).toBeGreaterThanOrEqual(
      least,
    );
  expect(user.secrets.size).toBeGreaterThan(70);
  expect([...user.secrets].filter((secret) => secret.length < 8)).toEqual([]);
  expect([...user.secrets].filter((secret) => formsOf(secret).some(isShown))).toEqual([]);
});

test("neither are the keys of the installation, nor the code of the moment", () => {
  for (const secret of [APP_KEY, server.systemKey, codeIn(server, user.totp, 0)])
    expect(isShown(secret)).toBe(false);
});

test("the search finds what is there, in the report too", () => {
  expect(isShown(user.email)).toBe(true);
  expect(contents[0]).toContain(user.email);
  for (const { keyPrefix } of archives[0]?.data.apiKeys ?? []) expect(contents[0]).toContain(keyPrefix);
});

describe("what services write", () => {
  test("is in the archive as they wrote it: it is theirs", async () => {
    const person = await externalUser(server);
    const metadata = { snake_case: { inner_key: [1, null, "ü"] }, token: "a service's own" };
    const body = {
      user_id: person.id,
      event_type: "bot_command_executed",
      resource_type: "command",
      status: "success",
      source_service: "community_bot",
      metadata,
    };
    done(await server.post("/v1/internal/audit", { headers: { "x-id-app-key": APP_KEY }, body }));
    const { data } = await exported(server, person.token);
    expect(data.auditEvents[0].metadata).toEqual(metadata);
  });
});
