import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../api";
import { inLanguages } from "../language";
import { askWho } from "../session";
import { Button } from "../ui/button";
import { bound, Form, TextField } from "../ui/form";

const words = inLanguages({
  en: {
    lead: "Nobody administers this server yet. Make the first account here, or on the server with one command:",
    code: "Code from the server",
    codeHint: "It stands on the server's terminal, or in the file first-start-code of its data directory.",
    username: "Username",
    usernameHint: "3 to 30 letters, digits and underscores",
    email: "Email address",
    password: "Password",
    passwordHint: "At least 8 characters",
    make: "Make the account",
    renew: "Show another code on the server",
  },
  de: {
    lead: "Diesen Server verwaltet noch niemand. Lege das erste Konto hier an, oder auf dem Server mit einem Befehl:",
    code: "Code vom Server",
    codeHint:
      "Er steht am Terminal des Servers oder in der Datei first-start-code seines Datenverzeichnisses.",
    username: "Benutzername",
    usernameHint: "3 bis 30 Buchstaben, Ziffern und Unterstriche",
    email: "E-Mail-Adresse",
    password: "Passwort",
    passwordHint: "Mindestens 8 Zeichen",
    make: "Konto anlegen",
    renew: "Auf dem Server einen anderen Code zeigen",
  },
});

/** Makes the first administrator, by the code that the server shows to whoever owns the machine. */
export function FirstStart({
  start,
  onRenewed,
}: {
  start: Schemas["FirstStart"];
  onRenewed: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const [code, username, email, password] = [useSignal(""), useSignal(""), useSignal(""), useSignal("")];
  const make = async () => {
    await call(() =>
      api.POST("/bridge/first-start", {
        body: {
          code: code.value.trim(),
          username: username.value,
          email: email.value,
          password: password.value,
        },
      }),
    );
    await askWho();
  };
  const renew = async () => {
    await call(() => api.POST("/bridge/first-start/code"));
    await onRenewed();
  };
  return (
    <>
      <p>{t.lead}</p>
      <pre class="command">fairlead user create --username NAME --email ADDRESS --role "Super Admin"</pre>
      <Form action={t.make} onSubmit={make}>
        <TextField
          label={t.code}
          hint={t.codeHint}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          required
          {...bound(code)}
        />
        <TextField
          label={t.username}
          hint={t.usernameHint}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          minLength={3}
          maxLength={30}
          {...bound(username)}
        />
        <TextField label={t.email} type="email" autocomplete="email" required {...bound(email)} />
        <TextField
          label={t.password}
          hint={t.passwordHint}
          type="password"
          autocomplete="new-password"
          required
          minLength={8}
          {...bound(password)}
        />
      </Form>
      {!start.code && (
        <Button kind="quiet" onClick={renew}>
          {t.renew}
        </Button>
      )}
    </>
  );
}
