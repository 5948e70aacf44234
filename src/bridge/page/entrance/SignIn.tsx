import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { api, call, messageOf } from "../api";
import { comebackChallenge, comebackRefusal, signInAt } from "../elsewhere";
import { inLanguages } from "../language";
import { completeByPasskey, hasPasskeys, signInByPasskey } from "../passkeys";
import { askWho } from "../session";
import { Button } from "../ui/button";
import { bound, CheckField, Form, TextField, ticked } from "../ui/form";
import { useLoaded } from "../ui/loaded";
import { More } from "../ui/more";

const words = inLanguages({
  en: {
    identifier: "Username or email address",
    password: "Password",
    stay: "Stay signed in on this device",
    signIn: "Sign in",
    code: "Code",
    codeHint: "Six digits from your app, or one of your backup codes",
    confirm: "Confirm",
    other: "Sign in as somebody else",
    byPasskey: "Sign in with a passkey",
    confirmByPasskey: "Confirm with a passkey",
    with: (provider: string) => `Sign in with ${provider}`,
    byPassword: "Sign in with a password",
    noWay:
      "Nobody can sign in here at present. Whoever runs this server finds in its documentation what to set.",
  },
  de: {
    identifier: "Benutzername oder E-Mail-Adresse",
    password: "Passwort",
    stay: "Auf diesem Gerät angemeldet bleiben",
    signIn: "Anmelden",
    code: "Code",
    codeHint: "Sechs Ziffern aus deiner App oder einer deiner Ersatzcodes",
    confirm: "Bestätigen",
    other: "Als jemand anderes anmelden",
    byPasskey: "Mit einem Passkey anmelden",
    confirmByPasskey: "Mit einem Passkey bestätigen",
    with: (provider: string) => `Mit ${provider} anmelden`,
    byPassword: "Mit einem Passwort anmelden",
    noWay:
      "Hier kann sich zurzeit niemand anmelden. Wer den Server betreibt, findet in dessen Dokumentation, was zu setzen ist.",
  },
});

/** Shows the ways in: name and password, or a provider; then asks for the second factor where the account has one. */
export function SignIn({ identifier: given = "" }: { identifier?: string }): JSX.Element {
  const t = words();
  const identifier = useSignal(given);
  const password = useSignal("");
  const stay = useSignal(comebackChallenge.value?.stay ?? false);
  const code = useSignal("");
  const challenge = useSignal(comebackChallenge.value?.token ?? null);
  const ways = useLoaded(() => call(() => api.GET("/v1/auth/ways-in")), []).data;
  const takesPasskey = useSignal(comebackChallenge.value?.takesPasskey ?? false);

  const signIn = async () => {
    const answer = await call(() =>
      api.POST("/bridge/session", {
        body: { identifier: identifier.value, password: password.value, stay_signed_in: stay.value },
      }),
    );
    if (answer.requires_2fa && answer.temp_token) {
      takesPasskey.value = answer.second_factors?.includes("passkey") === true;
      challenge.value = answer.temp_token;
    } else await askWho();
  };
  const byPasskey = async () => {
    await signInByPasskey(stay.value);
    await askWho();
  };
  const confirmByPasskey = async () => {
    await completeByPasskey(challenge.value ?? "", stay.value);
    await askWho();
  };
  const confirm = async () => {
    await call(() =>
      api.POST("/bridge/session/2fa", {
        body: { temp_token: challenge.value ?? "", code: code.value.trim(), stay_signed_in: stay.value },
      }),
    );
    await askWho();
  };

  if (challenge.value === null) {
    const byPassword = (
      <Form key="password" action={t.signIn} onSubmit={signIn}>
        <TextField
          label={t.identifier}
          name="username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          readOnly={given !== ""}
          {...bound(identifier)}
        />
        <TextField
          label={t.password}
          type="password"
          name="password"
          autocomplete="current-password"
          required
          {...bound(password)}
        />
        <CheckField label={t.stay} {...ticked(stay)} />
      </Form>
    );
    // An older server, or one that doesn't tell, has passwords alone.
    const { providers = [], password_login = "all" } = ways ?? {};
    const isPasswordFirst = providers.length === 0 || password_login === "all";
    return (
      <>
        {comebackRefusal.value !== null && (
          <p class="notice bad" role="alert">
            {messageOf(comebackRefusal.value)}
          </p>
        )}
        {password_login !== "none" && isPasswordFirst && byPassword}
        {hasPasskeys() && <Form kind="plain" action={t.byPasskey} onSubmit={byPasskey} />}
        {providers.length > 0 && (
          <div class="ways">
            {providers.map(({ name, display_name }) => (
              <Button
                key={name}
                kind={isPasswordFirst ? "plain" : "main"}
                onClick={() => signInAt(name, stay.value)}
              >
                {t.with(display_name)}
              </Button>
            ))}
            {!isPasswordFirst && <CheckField label={t.stay} {...ticked(stay)} />}
          </div>
        )}
        {password_login === "local_admins" && !isPasswordFirst && (
          <More title={t.byPassword}>{byPassword}</More>
        )}
        {password_login === "none" && providers.length === 0 && !hasPasskeys() && (
          <p class="notice warn">{t.noWay}</p>
        )}
      </>
    );
  }
  return (
    <>
      <Form key="code" action={t.confirm} onSubmit={confirm}>
        <CodeField {...bound(code)} />
      </Form>
      {takesPasskey.value && hasPasskeys() && (
        <Form kind="plain" action={t.confirmByPasskey} onSubmit={confirmByPasskey} />
      )}
      <Button
        kind="quiet"
        onClick={() => {
          challenge.value = comebackChallenge.value = null;
          code.value = "";
        }}
      >
        {t.other}
      </Button>
    </>
  );
}

/** The field of a second factor's code, which takes the focus when it appears. */
export function CodeField({
  value,
  onInput,
}: {
  value: string;
  onInput: (value: string) => void;
}): JSX.Element {
  const t = words();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={box}>
      <TextField
        label={t.code}
        hint={t.codeHint}
        name="code"
        autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck={false}
        required
        value={value}
        onInput={onInput}
      />
    </div>
  );
}
