import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../api";
import { me } from "../../session";
import { Button } from "../../ui/button";
import { bound, Form, TextField } from "../../ui/form";
import { Section } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { words } from "./words";

/** Changes the password. */
export function Password(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const [current, chosen] = [useSignal(""), useSignal("")];
  const close = () => {
    isOpen.value = false;
    current.value = chosen.value = "";
  };
  const save = async () => {
    await call(() =>
      api.POST("/v1/users/me/password", {
        body: { current_password: current.value, new_password: chosen.value },
      }),
    );
    say(t.passwordChanged);
    close();
  };
  return (
    <Section title={t.password}>
      {isOpen.value ? (
        <Form action={t.changePassword} onSubmit={save} onCancel={close}>
          {/* Password managers look for the name that the password belongs to. */}
          <input
            class="unseen"
            type="text"
            autocomplete="username"
            readOnly
            tabIndex={-1}
            aria-hidden="true"
            value={me.value?.username}
          />
          <TextField
            label={t.current}
            type="password"
            autocomplete="current-password"
            required
            {...bound(current)}
          />
          <TextField
            label={t.new}
            hint={t.newHint}
            type="password"
            autocomplete="new-password"
            required
            minLength={8}
            maxLength={128}
            {...bound(chosen)}
          />
        </Form>
      ) : (
        <div class="actions left">
          <Button
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {t.changePassword}
          </Button>
        </div>
      )}
    </Section>
  );
}
