import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { api, call } from "../api";
import { inLanguages } from "../language";
import { completeByPasskey, hasPasskeys, signInByPasskey } from "../passkeys";
import { askWho } from "../session";
import { Button } from "../ui/button";
import { bound, CheckField, Form, TextField, ticked } from "../ui/form";

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
  },
});

/** Asks for name and password, and then for the second factor where the account has one. */
export function SignIn({ identifier: given = "" }: { identifier?: string }): JSX.Element {
  const t = words();
  const identifier = useSignal(given);
  const password = useSignal("");
  const stay = useSignal(false);
  const code = useSignal("");
  const challenge = useSignal<string | null>(null);
  const takesPasskey = useSignal(false);

  const signIn = async () => {
    const answer = await call(() =>
      api.POST("/bridge/session", {
        body: { identifier: identifier.value, password: password.value, stay_signed_in: stay.value },
      }),
    );
    if (answer.requires_2fa && answer.temp_token) {
      takesPasskey.value = answer.second_factors?.includes("passkey") === true && hasPasskeys();
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

  if (challenge.value === null)
    return (
      <>
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
        {hasPasskeys() && <Form kind="plain" action={t.byPasskey} onSubmit={byPasskey} />}
      </>
    );
  return (
    <>
      <Form key="code" action={t.confirm} onSubmit={confirm}>
        <CodeField {...bound(code)} />
      </Form>
      {takesPasskey.value && <Form kind="plain" action={t.confirmByPasskey} onSubmit={confirmByPasskey} />}
      <Button
        kind="quiet"
        onClick={() => {
          challenge.value = null;
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
