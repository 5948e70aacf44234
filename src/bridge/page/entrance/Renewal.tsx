import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../api";
import { goTo } from "../elsewhere";
import { inLanguages } from "../language";
import { hasPasskeys, proveByPasskey } from "../passkeys";
import { renewal } from "../session";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { bound, Form, TextField } from "../ui/form";
import { Show, useLoaded } from "../ui/loaded";

const words = inLanguages({
  en: {
    title: "Is it you?",
    lead: "You signed in a while ago. Confirm that it is you, and what you were about to do goes on.",
    password: "Password",
    code: "Code of the second factor",
    confirm: "Confirm",
    byPasskey: "Confirm with a passkey",
    elsewhere: (provider: string) => `Confirm at ${provider}`,
    comeBack: "You come back here afterwards; then do again what you were about to do.",
    signOut: "Here your account has nothing to confirm with: sign out and in again.",
  },
  de: {
    title: "Bist du es?",
    lead: "Deine Anmeldung ist eine Weile her. Bestätige, dass du es bist; dann geht weiter, was du vorhattest.",
    password: "Passwort",
    code: "Code des zweiten Faktors",
    confirm: "Bestätigen",
    byPasskey: "Mit einem Passkey bestätigen",
    elsewhere: (provider: string) => `Bei ${provider} bestätigen`,
    comeBack: "Danach kommst du hierher zurück; tu dann noch einmal, was du vorhattest.",
    signOut: "Dein Konto hat hier nichts, womit es das bestätigen kann: Melde dich ab und wieder an.",
  },
});

/** Asks for a newer sign-in where the API wants one before it changes something; then what was asked for goes on. */
export function Renewal(): JSX.Element | null {
  return renewal.value ? <Question answer={renewal.value} /> : null;
}

function Question({ answer }: { answer: (isRenewed: boolean) => void }): JSX.Element {
  const t = words();
  const [password, code] = [useSignal(""), useSignal("")];
  const loaded = useLoaded(async () => {
    const [own, ways, factor] = await Promise.all([
      call(() => api.GET("/v1/users/me/ways-in")),
      call(() => api.GET("/v1/users/me/identities", { params: { query: { limit: 100 } } })),
      call(() => api.GET("/v1/users/me/2fa/status")),
    ]);
    const names = new Map(ways.data.map(({ provider, display_name }) => [provider, display_name]));
    return {
      hasPassword: own.has_password,
      hasCode: factor.enabled,
      hasPasskey: own.passkeys > 0 && hasPasskeys(),
      // A code has to come with it, for which the page does not come back.
      names: factor.enabled ? [] : [...names],
    };
  }, []);
  const confirm = async () => {
    // An account with both has to give both.
    const body = {
      ...(password.value && { password: password.value }),
      ...(code.value && { code: code.value.trim() }),
    };
    await call(() => api.POST("/v1/auth/reauthenticate", { body }));
    answer(true);
  };
  const byPasskey = async () => {
    await proveByPasskey();
    answer(true);
  };
  return (
    <Dialog title={t.title} onClose={() => answer(false)}>
      <Show of={loaded}>
        {({ hasPassword, hasCode, hasPasskey, names }) => (
          <>
            {(hasPassword || hasCode || hasPasskey) && <p>{t.lead}</p>}
            {hasPasskey && <Form kind="plain" action={t.byPasskey} onSubmit={byPasskey} />}
            {(hasPassword || hasCode) && (
              <Form action={t.confirm} onSubmit={confirm} onCancel={() => answer(false)}>
                {hasPassword && (
                  <TextField
                    label={t.password}
                    type="password"
                    autocomplete="current-password"
                    required
                    {...bound(password)}
                  />
                )}
                {hasCode && (
                  <TextField
                    label={t.code}
                    autocomplete="one-time-code"
                    required
                    spellcheck={false}
                    {...bound(code)}
                  />
                )}
              </Form>
            )}
            {names.length > 0 && (
              <div class="ways">
                {names.map(([name, display]) => (
                  <Button key={name} onClick={() => goTo(name, "reauthenticate")}>
                    {t.elsewhere(display)}
                  </Button>
                ))}
                <p class="hint">{t.comeBack}</p>
              </div>
            )}
            {!hasPassword && !hasCode && !hasPasskey && names.length === 0 && (
              <p class="notice warn">{t.signOut}</p>
            )}
          </>
        )}
      </Show>
    </Dialog>
  );
}
