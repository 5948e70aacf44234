import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../api";
import { inLanguages } from "../language";
import { askWho } from "../session";
import { Button } from "../ui/button";
import { bound, Form, TextField } from "../ui/form";

const words = inLanguages({
  en: {
    lead: "Nobody administers this server yet. Make the first account: the code shows that the server is yours.",
    code: "Code from the server",
    shown: {
      terminal: "It stands on the terminal in which the server was started.",
      file: "It stands in the file first-start-code of the server's data directory.",
    },
    ended: "The last code has ended, or was tried too often.",
    command: "Or make it on the server with one command:",
    username: "Username",
    usernameHint: "3 to 30 letters, digits and underscores",
    email: "Email address",
    password: "Password",
    passwordHint: "At least 8 characters",
    make: "Make the account",
    renew: "Show another code on the server",
    name: "NAME",
    address: "ADDRESS",
  },
  de: {
    lead: "Diesen Server verwaltet noch niemand. Lege das erste Konto an: Der Code zeigt, dass der Server deiner ist.",
    code: "Code vom Server",
    shown: {
      terminal: "Er steht in dem Terminal, in dem der Server gestartet wurde.",
      file: "Er steht in der Datei first-start-code im Datenverzeichnis des Servers.",
    },
    ended: "Der letzte Code gilt nicht mehr oder wurde zu oft versucht.",
    command: "Oder auf dem Server mit einem Befehl:",
    username: "Benutzername",
    usernameHint: "3 bis 30 Buchstaben, Ziffern und Unterstriche",
    email: "E-Mail-Adresse",
    password: "Passwort",
    passwordHint: "Mindestens 8 Zeichen",
    make: "Konto anlegen",
    renew: "Auf dem Server einen anderen Code zeigen",
    name: "NAME",
    address: "ADRESSE",
  },
});

/** Makes the first administrator, by the code that the server shows to whoever owns the machine. */
export function FirstStart({
  start,
  onChanged,
}: {
  start: Schemas["FirstStart"];
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const [code, username, email, password] = [useSignal(""), useSignal(""), useSignal(""), useSignal("")];
  const make = async () => {
    try {
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
    } catch (error) {
      // The code may have lost its last try, or an account may have been made elsewhere.
      await onChanged();
      throw error;
    }
    await askWho();
  };
  const renew = async () => {
    await call(() => api.POST("/bridge/first-start/code"));
    await onChanged();
  };
  return (
    <>
      <p>{t.lead}</p>
      {!start.code && (
        <div class="notice warn">
          <p>{t.ended}</p>
          <Button onClick={renew}>{t.renew}</Button>
        </div>
      )}
      <Form action={t.make} onSubmit={make}>
        <TextField
          label={t.code}
          {...(start.code && { hint: t.shown[start.code.shown] })}
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
      {start.command !== null && (
        <section>
          <p class="hint">{t.command}</p>
          <pre class="command">
            {start.command} --username {t.name} --email {t.address} --role "Super Admin"
          </pre>
        </section>
      )}
    </>
  );
}
