import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { addPasskey, hasPasskeys, whyNone } from "../../passkeys";
import { passkeyOrigins } from "../../session";
import { Button } from "../../ui/button";
import { ask, Dialog } from "../../ui/dialog";
import { bound, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";
import { words } from "./words";

type Passkey = Schemas["Passkey"];

/** The own passkeys: added, renamed, removed. */
export function Passkeys(): JSX.Element {
  const t = words();
  const adding = useSignal(false);
  const renamed = useSignal<Passkey | null>(null);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/users/me/passkeys", { params: { query: { limit: 100 } } })),
    [],
  );
  const done = async () => {
    adding.value = false;
    renamed.value = null;
    await loaded.reload();
  };
  const remove = ({ id, name }: Passkey) =>
    ask({
      title: t.removePasskey(name),
      text: t.removePasskeyText,
      action: t.remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/me/passkeys/{id}", { params: { path: { id } } }));
        await loaded.reload();
      },
    });
  return (
    <Section title={t.passkeys}>
      <p>{t.passkeysLead}</p>
      <Show of={loaded}>
        {({ data }) =>
          data.length > 0 ? (
            <ul class="rows">
              {data.map((passkey) => (
                <li key={passkey.id} class="row">
                  <span class="row-main">
                    <span class="row-title">{passkey.name}</span>
                    <span class="hint">
                      {passkey.authenticator !== null &&
                        passkey.authenticator !== passkey.name &&
                        `${passkey.authenticator} · `}
                      {passkey.last_used_at === null ? (
                        t.neverUsed
                      ) : (
                        <>
                          {t.lastUsed} <Ago at={passkey.last_used_at} />
                        </>
                      )}
                      {passkey.is_backed_up && ` · ${t.backedUp}`}
                    </span>
                  </span>
                  <Button
                    icon="edit"
                    kind="quiet"
                    label={t.renamePasskey(passkey.name)}
                    onClick={() => {
                      renamed.value = passkey;
                    }}
                  />
                  <Button
                    icon="trash"
                    kind="quiet"
                    label={t.removePasskey(passkey.name)}
                    onClick={() => remove(passkey)}
                  />
                </li>
              ))}
            </ul>
          ) : (
            <p class="hint">{t.noPasskeys}</p>
          )
        }
      </Show>
      {hasPasskeys() ? (
        <div class="actions left">
          <Button
            onClick={() => {
              adding.value = true;
            }}
          >
            {t.addPasskey}
          </Button>
        </div>
      ) : (
        <p class="notice">{t.noneHere[whyNone()](passkeyOrigins.value[0] ?? "")}</p>
      )}
      {adding.value && <Addition onClose={() => done()} />}
      {renamed.value && <Renaming passkey={renamed.value} onClose={done} />}
    </Section>
  );
}

function Addition({ onClose }: { onClose: () => Promise<void> }): JSX.Element {
  const t = words();
  const name = useSignal("");
  const add = async () => {
    await addPasskey(name.value);
    await onClose();
  };
  return (
    <Dialog title={t.addPasskey} onClose={onClose}>
      <p>{t.addPasskeyLead}</p>
      <Form action={t.goOn} onSubmit={add} onCancel={onClose}>
        <TextField label={t.passkeyName} hint={t.passkeyNameHint} maxLength={200} {...bound(name)} />
      </Form>
    </Dialog>
  );
}

function Renaming({ passkey, onClose }: { passkey: Passkey; onClose: () => Promise<void> }): JSX.Element {
  const t = words();
  const name = useSignal(passkey.name);
  const save = async () => {
    const params = { path: { id: passkey.id } };
    await call(() => api.PATCH("/v1/users/me/passkeys/{id}", { params, body: { name: name.value } }));
    await onClose();
  };
  return (
    <Dialog title={t.renamePasskey(passkey.name)} onClose={onClose}>
      <Form action={common().save} onSubmit={save} onCancel={onClose}>
        <TextField label={t.passkeyName} required maxLength={200} {...bound(name)} />
      </Form>
    </Dialog>
  );
}
