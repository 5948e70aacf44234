import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Mistakes that the source must not contain, whatever the input, and that no other test would see. */

const SRC = join(import.meta.dir, "../../src");

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts") && !file.startsWith("bridge/page/"))
  .sort()
  .map((file) => ({ file, text: withoutComments(readFileSync(join(SRC, file), "utf8")) }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

/** The files in which a pattern matches. */
const found = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe("the source", () => {
  test("is there (a scan that finds nothing proves nothing)", () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(found(/\btimingSafeEqual\(/)).toEqual(["kernel/crypto/crypto.ts"]);
  });

  test("evaluates no text as code", () => {
    expect(found(/\beval\(|\bnew Function\(|\bsetTimeout\(\s*["'`]|from "node:vm"|\brequire\([^"]/)).toEqual(
      [],
    );
  });

  test("starts no other program", () => {
    // The doctor runs beside the server, as this program once more. From source, git is asked for the commit, without a shell and by
    // the program's own words.
    const own = [
      "configuration/source-commit.ts",
      "server/backup/deep-check.ts",
      "server/doctor/examination.ts",
    ];
    expect(found(/child_process|\bBun\.spawn|\bBun\.\$|from "bun".*\$/)).toEqual(own);
  });

  test("asks outside in few places, by the operator's addresses alone", () => {
    const asks =
      /(?<![.#])\bfetch\(|\bboundedFetch\(|\bnew WebSocket\(|\bBun\.connect\(|\bconnectTls\(|\bcreateTransport\(|\bnew Resend\(/;
    const asking = found(asks).filter((file) => file !== "kernel/http/outbound.ts");
    // The demo's and the pages' own server, and the server that runs.
    const own = ["demo.ts", "docs/pages.ts", "server/doctor/running.ts", "server/health/command.ts"];
    expect(asking.filter((file) => !own.includes(file))).toEqual([
      "identity/auth/bot-protection.ts",
      "identity/email/resend.ts",
      "identity/email/smtp.ts",
      "kernel/feeds/tcp-lines.ts",
      "mqtt/broker/streams.ts",
      "mqtt/supervisor.ts",
      "operations/integrations/api.ts",
      "operations/integrations/oauth.ts",
      "operations/vessels/aisstream.ts",
      "operations/water-levels/source.ts",
      "server/doctor/outside.ts",
      "server/heartbeat/heartbeat.ts",
      "sync/aboard/shore.ts",
    ]);
    // Users may set pictures, and addresses to be sent back to: none of these files reads them.
    for (const { file, text } of sources)
      if (asking.includes(file) && !own.includes(file))
        expect([file, /avatar_url|logo_url|homepage_url|redirect_uris/.test(text)]).toEqual([file, false]);
  });

  test("makes no regular expression out of a text from outside", () => {
    // The names of backups are built of constants.
    const made = found(/\bRegExp\(/).filter((file) => file !== "server/backup/names.ts");
    expect(made).toEqual([]);
  });

  test("puts no text into SQL but its own: values are bound", () => {
    // The numbers of kinds of changes are constants; an index can't have them as parameters.
    expect(found(/\bsql\.raw\(/)).toEqual(["feed/table.ts"]);
    // Field names of input and callers never stand in a statement.
    expect(
      found(/`\s*(?:SELECT|INSERT|UPDATE|DELETE)\b[^`]*\$\{(?:input|body|query|params|caller)\b/i),
    ).toEqual([]);
  });

  test("draws by chance alone only what nobody needs to guess: pauses, and the prefix of request ids", () => {
    expect(found(/\bMath\.random\(/)).toEqual([
      "kernel/feeds/connection.ts",
      "kernel/http/http.ts",
      "outbox/pauses.ts",
      "realtime/connections.ts",
      "sync/aboard/worker.ts",
    ]);
  });

  test("hashes with SHA-256 and argon2id alone, but for the codes of authenticator apps (RFC 6238)", () => {
    expect(found(/"(?:md5|sha-?1)"|\bBun\.(?:MD4|MD5|SHA1)\b/i)).toEqual([
      "identity/two-factor-codes/totp.ts",
    ]);
  });

  test("makes no hash of a password cheap: only the tests' own entry does", () => {
    expect(found(/\bsetHashCost\b/)).toEqual(["kernel/crypto/crypto.ts"]);
  });

  test("encrypts in one place, by AES-256 in GCM", () => {
    expect(found(/\bcreateCipheriv\(|\bsubtle\.encrypt\(/)).toEqual(["kernel/crypto/encryption.ts"]);
    expect(found(/aes-\d+-(?!gcm)/i)).toEqual([]);
  });

  test("sets two cookies: that of a page's session, and that of a browser on its way to a provider", () => {
    const named = [
      ...["bridge/routes.ts", "bridge/schema.ts", "bridge/session.ts", "docs/components.ts"],
      ...["identity/oidc-codes/browser.ts", "identity/oidc/schema.ts"],
    ];
    expect(found(/set-cookie/i)).toEqual(named);
    expect(found(/headers(\[|\.set\()"set-cookie"/i)).toEqual([
      "bridge/session.ts",
      "identity/oidc-codes/browser.ts",
    ]);
  });

  test("reads XML in files of positions alone, without entities, and runs no template that came from outside", () => {
    expect(found(/\bXmlReader\b/)).toEqual(["tracking/import/gpx.ts", "tracking/import/xml.ts"]);
    expect(found(/xml2js|fast-xml|DOMParser|handlebars|mustache|\bejs\b|nunjucks/i)).toEqual([]);
  });

  test("writes no text into a page as HTML", () => {
    const scripts = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(?:tsx?|js)$/.test(file),
    );
    expect(scripts.length).toBeGreaterThan(sources.length);
    const asHtml = /(?:inner|outer)HTML|insertAdjacentHTML|document\.write/i;
    expect(scripts.filter((file) => asHtml.test(readFileSync(join(SRC, file), "utf8")))).toEqual([]);
  });

  test("keeps no secret of its own", () => {
    const secretLooking = /\b(?:ses|flk|fls|2fa)_[\w-]{43}\b|-----BEGIN|\b(?:AKIA|ghp_|sk_live_)\w{16,}/;
    const examples = /examples?:|"(?:ses|flk|fls|2fa)_[\w-]{43}"/;
    for (const { file, text } of sources)
      for (const line of text.split("\n"))
        if (secretLooking.test(line)) expect([file, examples.test(line)]).toEqual([file, true]);
  });
});
