import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../api";
import { me } from "../../session";
import { Button } from "../../ui/button";
import { bound, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { words } from "./words";

/** The password, or its absence. */
export function Password(): JSX.Element {
  const t = words();
  const ways = useLoaded(() => call(() => api.GET("/v1/users/me/ways-in")), []);
  return (
    <Section title={t.password}>
      <Show of={ways}>
        {({ has_password, may_use_password }) => (
          <>
            {!has_password && <p>{t.noPassword}</p>}
            {!has_password && may_use_password && me.value?.email === null && <p>{t.noEmailForPassword}</p>}
            {(has_password || (may_use_password && me.value?.email !== null)) && (
              <ChangePassword hasOne={has_password} onChanged={ways.reload} />
            )}
          </>
        )}
      </Show>
    </Section>
  );
}

/** Changes the password, or sets the first one. */
function ChangePassword({
  hasOne,
  onChanged,
}: {
  hasOne: boolean;
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const action = hasOne ? t.changePassword : t.setPassword;
  const isOpen = useSignal(false);
  const [current, chosen] = [useSignal(""), useSignal("")];
  const close = () => {
    isOpen.value = false;
    current.value = chosen.value = "";
  };
  const save = async () => {
    await call(() =>
      api.POST("/v1/users/me/password", {
        body: { ...(hasOne && { current_password: current.value }), new_password: chosen.value },
      }),
    );
    say(t.passwordChanged);
    close();
    await onChanged();
  };
  return (
    <>
      {isOpen.value ? (
        <Form action={action} onSubmit={save} onCancel={close}>
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
          {hasOne && (
            <TextField
              label={t.current}
              type="password"
              autocomplete="current-password"
              required
              {...bound(current)}
            />
          )}
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
            {action}
          </Button>
        </div>
      )}
    </>
  );
}
