import { Elysia } from "elysia";
import ceremony from "../bridge/page/ceremony.js" with { type: "text" };
import { config, publicUrl } from "../configuration/config";
import { guard } from "../identity/access/guard";
import { emailLocale } from "../identity/email/locale";
import { relyingParty } from "../identity/webauthn/relying-party";
import { sourceHash } from "../kernel/crypto/crypto";
import { PAGE_HEADERS } from "../kernel/http/static";
import type { Locale } from "../kernel/values/bilingual";

/**
 * The pages that links in emails lead to, unless the operator's app has its own (`email.link_base_url`), and links of
 * invitations that are handed over.
 * The token stands in the fragment, which the page reads, removes from the address, and posts only when its
 * reader presses the button: mail scanners that open links must not use the token up.
 */

interface Texts {
  title: string;
  lead: string;
  button: string;
  password?: { label: string; hint: string; show: string; revoke?: string };
  /** The fields of a new account, and what to say once there is one. */
  account?: {
    username: string;
    usernameHint: string;
    email: string;
    success: string;
    /** The way without a password: its button, and what to say where the browser gave no passkey. */
    passkey: string;
    noPasskey: string;
  };
  working: string;
  done: string;
  failed: string;
  offline: string;
  incomplete: string;
  noScript: string;
  /** The way to the page of this server, once it is done. */
  next: string;
}

const ENGLISH = {
  working: "One moment…",
  done: "Done.",
  failed: "That did not work.",
  offline: "The server cannot be reached. Check your connection and try again.",
  incomplete: "The link is incomplete, or was opened here before. Open it again from the email.",
  noScript: "This page needs JavaScript.",
  next: "To the sign-in",
};

const GERMAN = {
  working: "Einen Augenblick …",
  done: "Erledigt.",
  failed: "Das hat nicht geklappt.",
  offline: "Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.",
  incomplete:
    "Der Link ist unvollständig oder wurde hier schon geöffnet. Öffne ihn noch einmal aus der E-Mail.",
  noScript: "Diese Seite braucht JavaScript.",
  next: "Zur Anmeldung",
};

const VERIFY: Record<Locale, Texts> = {
  en: {
    ...ENGLISH,
    title: "Confirm your email address",
    lead: "Press the button to confirm that this email address is yours.",
    button: "Confirm",
  },
  de: {
    ...GERMAN,
    title: "E-Mail-Adresse bestätigen",
    lead: "Bestätige mit der Schaltfläche, dass diese E-Mail-Adresse dir gehört.",
    button: "Bestätigen",
  },
};

const RESET: Record<Locale, Texts> = {
  en: {
    ...ENGLISH,
    title: "Choose a new password",
    lead: "With the new password you are signed out everywhere.",
    button: "Set password",
    password: {
      label: "New password",
      hint: "At least 8 characters",
      show: "Show password",
      revoke: "Switch my API keys off too, also those of trackers. I can switch them on again.",
    },
  },
  de: {
    ...GERMAN,
    title: "Neues Passwort wählen",
    lead: "Mit dem neuen Passwort wirst du überall abgemeldet.",
    button: "Passwort setzen",
    password: {
      label: "Neues Passwort",
      hint: "Mindestens 8 Zeichen",
      show: "Passwort anzeigen",
      revoke:
        "Auch meine API-Schlüssel abschalten, die von Trackern eingeschlossen. Ich kann sie wieder einschalten.",
    },
  },
};

const INVITATION: Record<Locale, Texts> = {
  en: {
    ...ENGLISH,
    title: "Create your account",
    lead: "Choose a username, and a password with which you will sign in.",
    button: "Create account",
    incomplete: "The link is incomplete, or was opened here before. Open it again from where you got it.",
    account: {
      username: "Username",
      usernameHint: "3 to 30 letters, digits and underscores",
      email: "Email address",
      success: "Your account is there: you can sign in.",
      passkey: "Create account with a passkey, without a password",
      noPasskey: "No passkey was made. Try again, or choose a password.",
    },
    password: { label: "Password", hint: "At least 8 characters", show: "Show password" },
  },
  de: {
    ...GERMAN,
    title: "Konto anlegen",
    lead: "Wähle einen Benutzernamen und ein Passwort, mit denen du dich anmelden wirst.",
    button: "Konto anlegen",
    incomplete:
      "Der Link ist unvollständig oder wurde hier schon geöffnet. Öffne ihn noch einmal dort, wo du ihn bekommen hast.",
    account: {
      username: "Benutzername",
      usernameHint: "3 bis 30 Buchstaben, Ziffern und Unterstriche",
      email: "E-Mail-Adresse",
      success: "Dein Konto ist angelegt: Du kannst dich anmelden.",
      passkey: "Konto mit einem Passkey anlegen, ohne Passwort",
      noPasskey: "Es wurde kein Passkey angelegt. Versuche es noch einmal oder wähle ein Passwort.",
    },
    password: { label: "Passwort", hint: "Mindestens 8 Zeichen", show: "Passwort anzeigen" },
  },
};

/** This page can't show a provider's challenge, and the server would refuse a password without one. */
const ELSEWHERE: Record<Locale, string> = {
  en: "This server asks for a bot check that this page cannot show. Set the new password in the app of this installation.",
  de: "Dieser Server verlangt eine Bot-Prüfung, die diese Seite nicht zeigen kann. Setze das neue Passwort in der App dieser Installation.",
};

const STYLE = `
:root { color-scheme: light dark; --text: #1a1a1a; --soft: #595959; --back: #f4f5f7; --card: #ffffff; --line: #8a8f98; --accent: #0b4f8a; --on: #ffffff; --good: #1b6b34; --bad: #a61b1b; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ececec; --soft: #b4b4b4; --back: #16181c; --card: #202329; --line: #767c86; --accent: #8cc4f5; --on: #10202e; --good: #7fd79a; --bad: #ff9c9c; }
}
* { box-sizing: border-box; }
[hidden] { display: none; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 440px; padding: 32px; background: var(--card); border-radius: 12px; }
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; }
p { margin: 0 0 16px; }
label { display: block; font-weight: 600; }
label.inline { font-weight: 400; margin: 8px 0 24px; }
input[type="password"], input[type="text"], input[type="email"] { width: 100%; margin-top: 4px; padding: 10px 12px; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; }
button { padding: 10px 20px; font: inherit; font-weight: 600; color: var(--on); background: var(--accent); border: 0; border-radius: 6px; cursor: pointer; }
button.other { margin-top: 12px; color: var(--text); background: transparent; border: 1px solid var(--line); }
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
small { color: var(--soft); }
#status { margin: 24px 0 0; }
#status:empty { display: none; }
#status strong { display: block; }
#next { margin: 16px 0 0; }
a { color: var(--accent); font-weight: 600; }
#status.good strong { color: var(--good); }
#status.bad strong { color: var(--bad); }
footer { margin-top: 24px; font-size: 13px; color: var(--soft); }
`;

/** Paths are relative, so that the pages work behind a proxy that serves them under a prefix. */
const SCRIPT = `
${ceremony.replaceAll("export ", "")}
const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get("token");
history.replaceState(null, "", location.pathname + location.search);
addEventListener("hashchange", () => location.reload());

const status = document.getElementById("status");
function say(kind, headline, message) {
  status.className = kind;
  const strong = document.createElement("strong");
  strong.textContent = headline;
  const text = document.createElement("span");
  text.lang = "en";
  text.textContent = message;
  status.replaceChildren(strong, text);
}

const next = document.getElementById("next");
const form = document.querySelector("form");
if (form) {
  const texts = form.dataset;
  const password = form.querySelector("#password");
  const show = form.querySelector("#show");
  const revoke = form.querySelector("#revoke");
  const username = form.querySelector("#username");
  const email = form.querySelector("#email");
  const asksEmail = fragment.get("ask") === "email";
  if (email) {
    form.querySelector("#address").hidden = !asksEmail;
    email.required = asksEmail;
  }
  if (token) form.hidden = false;
  else say("bad", texts.incomplete, "");
  if (show) show.addEventListener("change", () => { password.type = show.checked ? "text" : "password"; });
  const post = (path, body) =>
    fetch(path.replace("{token}", encodeURIComponent(token)), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const named = () => ({ username: username.value, ...(asksEmail && { email: email.value }) });
  async function take(answer) {
    const { message } = await answer.json();
    if (answer.ok) form.hidden = true;
    if (answer.ok && next) next.hidden = false;
    say(answer.ok ? "good" : "bad", answer.ok ? texts.done : texts.failed, (answer.ok && texts.success) || message);
  }
  async function working(work) {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    say("", texts.working, "");
    try {
      await work();
    } catch (error) {
      say("bad", error instanceof DOMException ? texts.noPasskey : texts.offline, "");
    }
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    return working(async () =>
      take(
        await post(
          texts.path,
          username ? { ...named(), password: password.value }
          : password ? { token, new_password: password.value, revoke_api_keys: revoke.checked }
          : { token },
        ),
      ));
  });
  const passkey = form.querySelector("#passkey");
  if (passkey && mayUsePasskeys(texts.origins.split(" "))) {
    passkey.hidden = false;
    passkey.addEventListener("click", () => {
      if (!username.reportValidity() || !(email.reportValidity() || !asksEmail)) return;
      working(async () => {
        const asked = await post(texts.options, { username: username.value });
        if (!asked.ok) return take(asked);
        const credential = await makePasskey((await asked.json()).public_key);
        await take(await post(texts.path, { ...named(), passkey: { credential } }));
      });
    });
  }
}
`;

const POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE)}`,
  `script-src ${sourceHash(SCRIPT)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** All texts are constants of this file, except the host, which can't hold markup. */
function render(locale: Locale, texts: Texts, content: string): Response {
  const page = `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${texts.title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${texts.title}</h1>
<noscript><p>${texts.noScript}</p></noscript>
${content}
<p id="status" role="status"></p>
${config["bridge.enabled"] ? `<p id="next" hidden><a href="./">${texts.next}</a></p>\n` : ""}<footer>Fairlead · ${new URL(publicUrl()).host}</footer>
</main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;
  return new Response(page, {
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-language": locale,
      "content-security-policy": POLICY,
      "cache-control": "no-store",
    },
  });
}

function form(path: string, texts: Texts): string {
  const { lead, button, account, password, working, done, failed, offline, incomplete } = texts;
  return `<form hidden data-path="${path}" data-working="${working}" data-done="${done}" data-failed="${failed}" data-offline="${offline}" data-incomplete="${incomplete}"${accountData(account)}>
<p>${lead}</p>
${accountFields(account)}${passwordFields(password)}<button type="submit">${button}</button>
${account ? `<button id="passkey" class="other" type="button" hidden>${account.passkey}</button>\n` : ""}</form>`;
}

/** Data by which the script makes an account: its passkey may be made at some origins alone. */
const accountData = (account: Texts["account"]): string =>
  account
    ? ` data-success="${account.success}" data-no-passkey="${account.noPasskey}" data-options="v1/invitations/{token}/passkey/options" data-origins="${(relyingParty()?.origins ?? []).join(" ")}"`
    : "";

const accountFields = (account: Texts["account"]): string =>
  account
    ? `<label for="username">${account.username}</label>
<input id="username" type="text" autocomplete="username" required minlength="3" maxlength="30" pattern="[A-Za-z0-9_]+" aria-describedby="username-hint">
<small id="username-hint">${account.usernameHint}</small>
<div id="address">
<label for="email">${account.email}</label>
<input id="email" type="email" autocomplete="email" maxlength="254">
</div>
`
    : "";

function passwordFields(password: Texts["password"]): string {
  if (!password) return "";
  const { label, hint, show, revoke } = password;
  return `<label for="password">${label}</label>
<input id="password" type="password" autocomplete="new-password" required minlength="8" maxlength="128" aria-describedby="hint">
<small id="hint">${hint}</small>
<label class="inline"><input id="show" type="checkbox"> ${show}</label>
${revoke ? `<label class="inline"><input id="revoke" type="checkbox" checked> ${revoke}</label>\n` : ""}`;
}

const localeOf = (request: Request) => emailLocale(null, request.headers.get("accept-language"));

const hidden = { open: true, detail: { hide: true } } as const;

/** Pages for people, in the browser's language. They hold no data, and load nothing but themselves. */
export const pageRoutes = new Elysia()
  .use(guard)
  .get(
    "/verify-email",
    ({ request }) => {
      const locale = localeOf(request);
      return render(locale, VERIFY[locale], form("v1/auth/verify-email", VERIFY[locale]));
    },
    hidden,
  )
  .get(
    "/invitation",
    ({ request }) => {
      const locale = localeOf(request);
      return render(locale, INVITATION[locale], form("v1/invitations/{token}/accept", INVITATION[locale]));
    },
    hidden,
  )
  .get(
    "/reset-password",
    ({ request }) => {
      const locale = localeOf(request);
      const content =
        config["bot_protection.provider"] === null
          ? form("v1/auth/reset-password/complete", RESET[locale])
          : `<p>${ELSEWHERE[locale]}</p>`;
      return render(locale, RESET[locale], content);
    },
    hidden,
  );
