import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../api";
import { inLanguages } from "../language";
import { renewal } from "../session";
import { Dialog } from "../ui/dialog";
import { bound, Form, TextField } from "../ui/form";

const words = inLanguages({
  en: {
    title: "Is it you?",
    lead: "You signed in a while ago. Confirm with your password, or with a code of your second factor.",
    password: "Password",
    code: "Code, instead of the password",
    confirm: "Confirm",
  },
  de: {
    title: "Bist du es?",
    lead: "Deine Anmeldung ist eine Weile her. Bestätige mit deinem Passwort oder mit einem Code deines zweiten Faktors.",
    password: "Passwort",
    code: "Code, statt des Passworts",
    confirm: "Bestätigen",
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
    const body = code.value ? { code: code.value.trim() } : { password: password.value };
    await call(() => api.POST("/v1/auth/reauthenticate", { body }));
    answer(true);
  };
  return (
    <Dialog title={t.title} onClose={() => answer(false)}>
      <p>{t.lead}</p>
      <Form action={t.confirm} onSubmit={confirm} onCancel={() => answer(false)}>
        <TextField label={t.password} type="password" autocomplete="current-password" {...bound(password)} />
        <TextField label={t.code} autocomplete="one-time-code" spellcheck={false} {...bound(code)} />
      </Form>
    </Dialog>
  );
}
