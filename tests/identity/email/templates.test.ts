import { beforeAll, describe, expect, test } from "bun:test";
import { composeEmail, type EmailContent } from "../../../src/identity/email/templates";
import { configure } from "../../support/in-process";
import { ADDRESS, CONTENTS, compose, contentOf, TOKEN } from "./support";

beforeAll(() => {
  configure({ "server.public_url": "https://fleet.example/" });
});

/** Kinds that the reader acts on by a link, and the page it leads to. */
const PAGES: Partial<Record<EmailContent["kind"], string>> = {
  registration: "verify-email",
  email_change: "verify-email",
  email_link: "verify-email",
  password_reset: "reset-password",
};

describe.each(["en", "de"] as const)("in %s", (locale) => {
  const german = locale === "de";

  describe.each(CONTENTS)("the email $kind", (content) => {
    const email = () => compose(content, locale);

    test("is addressed, greets by username and names the installation", () => {
      expect(email()).toMatchObject({ kind: content.kind, to: ADDRESS, locale });
      expect(email().subject).toContain("fleet.example");
      for (const body of [email().text, email().html]) {
        expect(body).toContain(german ? "Hallo erika," : "Hello erika,");
        expect(body).toContain("fleet.example");
        expect(body).toContain(german ? "automatisch verschickt" : "sent this email automatically");
      }
    });

    test("is in its language, and says what to do if it wasn't the reader", () => {
      expect(email().html).toStartWith(`<!doctype html>\n<html lang="${locale}">`);
      for (const body of [email().text, email().html]) {
        expect(body).toMatch(german ? /\b(Falls du|nichts gemeldet)\b/ : /\bIf (you|this)\b|didn(&#39;|')t/);
        expect(body).not.toMatch(german ? /\b(the|your|account)\b/i : /\b(dein|Konto|wurde)\b/);
        expect(body).not.toMatch(/undefined|null|NaN|\[object/);
      }
    });

    test("has its link and token where it has something to press, and none elsewhere", () => {
      const page = PAGES[content.kind];
      const link = page ? `https://fleet.example/${page}#token=${TOKEN}` : null;
      expect(email().link).toBe(link);
      expect(email().token).toBe(page ? TOKEN : null);
      expect([...email().html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(
        link ? [link, link] : [],
      );
      expect(email().text.split(TOKEN).length - 1).toBe(page ? 1 : 0);
      // In the button's link, the link in full and its text.
      expect(email().html.split(TOKEN).length - 1).toBe(page ? 3 : 0);
    });

    test("loads nothing and runs nothing", () => {
      expect(email().html).not.toMatch(
        /<(script|link|img|iframe|object|style|form)|\bsrc=|url\(|@import|\bon\w+=/i,
      );
    });

    test("has lines that every mail server takes", () => {
      for (const body of [email().text, email().html])
        expect(Math.max(...body.split("\n").map((line) => line.length))).toBeLessThan(998);
      expect(email().subject).not.toMatch(/[\r\n]/);
      expect(email().subject.length).toBeLessThan(78);
    });
  });

  test("times are in the reader's language and name UTC", () => {
    const timed = CONTENTS.filter(
      (content) => !["backup_codes_low", "audit_report_updated"].includes(content.kind),
    );
    expect(timed.length).toBe(22);
    for (const content of timed)
      expect(compose(content, locale).text).toContain(
        german ? "9. März 2026 um 17:05 Uhr UTC" : "9 March 2026 at 17:05 UTC",
      );
  });

  test("subjects differ by kind", () => {
    expect(new Set(CONTENTS.map((content) => compose(content, locale).subject)).size).toBe(CONTENTS.length);
  });
});

test("the two languages say different things in every email", () => {
  for (const content of CONTENTS)
    expect(compose(content, "de").subject).not.toBe(compose(content, "en").subject);
});

test("the 2FA emails name the platform", () => {
  expect(compose(contentOf("two_factor_enabled")).text).toContain("set up from Discord");
  expect(compose(contentOf("two_factor_disabled"), "de").text).toContain("eingerichtet war sie über Discord");
});

test("the news of another address go to the former one, and tell no more of the new one than its owner needs", () => {
  for (const kind of ["email_change_requested", "email_changed"] as const)
    for (const locale of ["en", "de"] as const) {
      const { text } = compose(contentOf(kind), locale);
      expect(text).toContain("s…@example.net");
      expect(text).not.toContain("stranger");
    }
});

test("the news of a key name it and its first characters", () => {
  for (const kind of ["api_key_created", "api_key_regenerated", "api_key_widened"] as const)
    for (const locale of ["en", "de"] as const) {
      const { text } = compose(contentOf(kind), locale);
      expect(text).toContain("> Tablet 10");
      expect(text).toContain("flk_3q2-7w8x");
    }
});

test("the news of a system key's new value say that it may do everything", () => {
  const text = (isSystem: boolean, locale: "en" | "de") =>
    compose(
      {
        ...{ kind: "api_key_regenerated", name: "Identity", prefix: "flk_3q2-7w8x" },
        ...{ isSystem, at: 0, silentUntil: null },
      },
      locale,
    ).text;
  expect(text(true, "en")).toContain("can do everything on this installation");
  expect(text(true, "de")).toContain("kann auf dieser Installation alles tun");
  expect(text(false, "en")).not.toContain("everything");
});

test("the last news of keys for a while say until when, the others don't", () => {
  expect(compose(contentOf("api_key_regenerated")).text).toContain("look at the list of your API keys");
  expect(compose(contentOf("api_key_regenerated"), "de").text).toContain("Bis zum 9. März 2026");
  for (const [locale, words] of [
    ["en", "more emails"],
    ["de", "weiteren E-Mails"],
  ] as const)
    expect(compose(contentOf("api_key_created"), locale).text).not.toContain(words);
});

test("the reminder of backup codes says how many are left", () => {
  const text = (remaining: number) => compose({ kind: "backup_codes_low", remaining }).text;
  expect(text(3)).toContain("3 are left.");
  expect(text(1)).toContain("One is left.");
  expect(text(0)).toContain("It was the last one.");
});

test("the news of a report tell its status, and the notes where there are any", () => {
  const email = compose(
    { kind: "audit_report_updated", status: "dismissed", notes: "Line one\nLine two" },
    "de",
  );
  expect(email.text).toContain("Stand: abgewiesen.");
  expect(email.text).toContain("> Line one\n> Line two\n");
  expect(email.html).toContain("Line one<br>\nLine two</blockquote>");
  const without = compose({ kind: "audit_report_updated", status: "reviewed", notes: null });
  expect(without.text).toContain("marked as: reviewed.");
  expect(without.html).not.toContain("blockquote");
  expect(without.text).not.toContain("note");
});

test("nothing that a person wrote becomes markup, and no control character gets through", () => {
  const evil = `<img src=x onerror="alert(1)">&'\u0000\u001b[2J\u0085`;
  const email = composeEmail(
    { address: ADDRESS, username: evil, locale: "en" },
    { kind: "audit_report_updated", status: evil, notes: `${evil}\r\n${evil}` },
  );
  expect(email.html).not.toContain("<img");
  expect(email.html).not.toContain('onerror="');
  expect(email.html.split("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;").length - 1).toBe(5);
  for (const body of [email.text, email.html]) expect(body).not.toMatch(/[^\P{Cc}\n]/u);
  const platform = compose({ kind: "two_factor_enabled", platformName: "<b>X</b>", at: 0 });
  expect(platform.html).toContain("&lt;b&gt;X&lt;/b&gt;");
});

test("a link's token can't end its address", () => {
  const { html, link } = compose({ kind: "password_reset", token: `"><b>&x=1`, expiresAt: 0 });
  expect(link).toBe("https://fleet.example/reset-password#token=%22%3E%3Cb%3E%26x%3D1");
  expect(html).not.toContain("<b>");
});

test("links lead to email.link_base_url where it is set, and the site keeps its name", () => {
  configure({
    "server.public_url": "https://fleet.example",
    "email.link_base_url": "https://app.example/login/",
  });
  const email = compose(contentOf("password_reset"));
  expect(email.link).toBe(`https://app.example/login/reset-password#token=${TOKEN}`);
  expect(email.subject).toContain("fleet.example");
  configure({ "server.public_url": "https://fleet.example" });
});
