import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call } from "../../api";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { bound, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";
import { words } from "./words";

/** Deletes the account after some days, or keeps it after all. */
export function Deletion(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const [password, code] = [useSignal(""), useSignal("")];
  const status = useLoaded(() => call(() => api.GET("/v1/users/me/deletion")), []);
  const ways = useLoaded(() => call(() => api.GET("/v1/users/me/ways-in")), []).data;
  const hasPassword = !ways || (ways.has_password && ways.may_use_password);
  const close = () => {
    isOpen.value = false;
    password.value = code.value = "";
  };
  const schedule = async () => {
    await call(() =>
      api.POST("/v1/users/me/deletion", {
        body: { ...(hasPassword && { password: password.value }), code: code.value.trim() || null },
      }),
    );
    close();
    await status.reload();
  };
  const keep = async () => {
    await call(() => api.DELETE("/v1/users/me/deletion"));
    await status.reload();
  };
  return (
    <Section title={t.deletion}>
      <Show of={status}>
        {({ scheduled_deletion_at }) =>
          scheduled_deletion_at === null ? (
            <>
              <p>{t.deletionLead}</p>
              <div class="actions left">
                <Button
                  kind="danger"
                  onClick={() => {
                    isOpen.value = true;
                  }}
                >
                  {t.delete}
                </Button>
              </div>
            </>
          ) : (
            <div class="notice bad">
              <p>
                {t.deletionAt} <Ago at={scheduled_deletion_at} />
              </p>
              <Button onClick={keep}>{t.keep}</Button>
            </div>
          )
        }
      </Show>
      {isOpen.value && (
        <Dialog title={t.delete} onClose={close}>
          <p>{t.deleteHint}</p>
          <Form kind="danger" action={common().remove} onSubmit={schedule} onCancel={close}>
            {hasPassword ? (
              <TextField
                label={t.current}
                type="password"
                autocomplete="current-password"
                required
                {...bound(password)}
              />
            ) : (
              <p class="hint">{t.confirmBySignIn}</p>
            )}
            <TextField label={t.codeIf} autocomplete="one-time-code" {...bound(code)} />
          </Form>
        </Dialog>
      )}
    </Section>
  );
}
