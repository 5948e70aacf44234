import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../api";
import { inLanguages } from "../language";
import { hasPasskeys, proveByPasskey } from "../passkeys";
import { renewal } from "../session";
import { Dialog } from "../ui/dialog";
import { bound, Form, TextField } from "../ui/form";

const words = inLanguages({
  en: {
    title: "Is it you?",
    lead: "You signed in a while ago. Confirm with your password, and with a code too if you have a second factor.",
    password: "Password",
    code: "Code of the second factor",
    confirm: "Confirm",
    byPasskey: "Confirm with a passkey",
  },
  de: {
    title: "Bist du es?",
    lead: "Deine Anmeldung ist eine Weile her. Bestätige mit deinem Passwort, und auch mit einem Code, wenn du einen zweiten Faktor hast.",
    password: "Passwort",
    code: "Code des zweiten Faktors",
    confirm: "Bestätigen",
    byPasskey: "Mit einem Passkey bestätigen",
  },
});

/** Asks for a newer sign-in where the API wants one before it changes something; then what was asked for goes on. */
export function Renewal(): JSX.Element | null {
  return renewal.value ? <Question answer={renewal.value} /> : null;
}

function Question({ answer }: { answer: (isRenewed: boolean) => void }): JSX.Element {
  const t = words();
  const [password, code] = [useSignal(""), useSignal("")];
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
      <p>{t.lead}</p>
      {hasPasskeys() && <Form kind="plain" action={t.byPasskey} onSubmit={byPasskey} />}
      <Form action={t.confirm} onSubmit={confirm} onCancel={() => answer(false)}>
        <TextField label={t.password} type="password" autocomplete="current-password" {...bound(password)} />
        <TextField label={t.code} autocomplete="one-time-code" spellcheck={false} {...bound(code)} />
      </Form>
    </Dialog>
  );
}
