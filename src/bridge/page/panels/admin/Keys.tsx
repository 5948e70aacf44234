import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { may, me } from "../../session";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { among, bound, CheckField, FieldFault, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Once } from "../../ui/once";
import { Opener } from "../../ui/opener";
import { Empty, Facts } from "../../ui/panel";
import { QrCode } from "../../ui/qr";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";

type Key = Schemas["ApiKey"];

const words = inLanguages({
  en: {
    add: "Make a key",
    none: "No API keys",
    noneHint: "A key lets a program or a tracker do what you choose, and nothing else.",
    name: "Name",
    scopes: "It may",
    scopesMissing: "Choose at least one thing that the key may do.",
    until: "Ends",
    made: "The key",
    once: "Copy or scan it now: it is shown once. Whoever has it can do what it may.",
    beginning: "Begins with",
    used: "Last used",
    never: "never",
    ends: "Ends",
    off: "switched off",
    system: "of the system",
    switchOff: "Switch off",
    switchOn: "Switch on",
    renew: "Renew",
    renewText: "The former key stops working at once.",
    remove: "Delete this key",
    removeText: "Whatever uses it stops working at once.",
    everything: "everything",
  },
  de: {
    add: "Schlüssel machen",
    none: "Keine API-Schlüssel",
    noneHint: "Ein Schlüssel lässt ein Programm oder einen Tracker tun, was du wählst, und sonst nichts.",
    name: "Name",
    scopes: "Er darf",
    scopesMissing: "Wähle mindestens eines, das der Schlüssel darf.",
    until: "Endet",
    made: "Der Schlüssel",
    once: "Kopiere oder scanne ihn jetzt: Er wird nur einmal gezeigt. Wer ihn hat, kann tun, was er darf.",
    beginning: "Beginnt mit",
    used: "Zuletzt benutzt",
    never: "nie",
    ends: "Endet",
    off: "abgeschaltet",
    system: "des Systems",
    switchOff: "Abschalten",
    switchOn: "Einschalten",
    renew: "Erneuern",
    renewText: "Der bisherige Schlüssel gilt sofort nicht mehr.",
    remove: "Diesen Schlüssel löschen",
    removeText: "Was ihn benutzt, hört sofort auf zu funktionieren.",
    everything: "alles",
  },
});

/** Keys of programs: made, switched off, renewed, deleted. */
export function Keys(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const made = useSignal<string | null>(null);
  const keys = useLoaded(() => call(() => api.GET("/v1/api-keys")), []);
  return (
    <>
      {may("api_keys:write") && (
        <Opener label={t.add} isOpen={isOpen}>
          <NewKey
            onMade={(key) => {
              made.value = key;
              isOpen.value = false;
              void keys.reload();
            }}
            onCancel={() => {
              isOpen.value = false;
            }}
          />
        </Opener>
      )}
      <Show of={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="key" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            data.map((key) => (
              <Known
                key={key.id}
                of={key}
                onChanged={keys.reload}
                onRenewed={(renewed) => {
                  made.value = renewed;
                }}
              />
            ))
          )
        }
      </Show>
      <Once of={made} title={t.made}>
        {(key) => (
          <>
            <QrCode text={key} label={t.made} />
            <Copyable label={t.made} text={key} />
            <p class="notice warn">{t.once}</p>
          </>
        )}
      </Once>
    </>
  );
}

function NewKey({ onMade, onCancel }: { onMade: (key: string) => void; onCancel: () => void }): JSX.Element {
  const t = words();
  const [name, until] = [useSignal(""), useSignal("")];
  const scopes = useSignal<readonly string[]>([]);
  const make = async () => {
    if (scopes.value.length === 0) throw new FieldFault(t.scopesMissing);
    const { key } = await call(() =>
      api.POST("/v1/api-keys", {
        body: {
          name: name.value.trim(),
          scopes: [...scopes.value],
          expires_at: until.value ? new Date(until.value).toISOString() : null,
        },
      }),
    );
    onMade(key);
  };
  return (
    <section class="card">
      <Form action={t.add} onSubmit={make} onCancel={onCancel}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
        <fieldset>
          <legend>{t.scopes}</legend>
          <div class="boxes">
            {(me.value?.permissions ?? []).map((permission) => (
              <CheckField
                key={permission}
                label={permission === "*:*" ? t.everything : permission}
                {...among(scopes, permission)}
              />
            ))}
          </div>
        </fieldset>
        <TextField label={`${t.until} (${common().optional})`} type="datetime-local" {...bound(until)} />
      </Form>
    </section>
  );
}

function Known({
  of: key,
  onChanged,
  onRenewed,
}: {
  of: Key;
  onChanged: () => Promise<void>;
  onRenewed: (key: string) => void;
}): JSX.Element {
  const t = words();
  const path = { id: key.id };
  const toggle = async () => {
    await call(() =>
      api.PATCH("/v1/api-keys/{id}", { params: { path }, body: { is_active: !key.is_active } }),
    );
    await onChanged();
  };
  const renew = () =>
    ask({
      title: t.renew,
      text: t.renewText,
      action: t.renew,
      perform: async () => {
        const renewed = await call(() =>
          api.POST("/v1/api-keys/{id}/regenerate", { params: { path }, body: {} }),
        );
        onRenewed(renewed.key);
        await onChanged();
      },
    });
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/api-keys/{id}", { params: { path } }));
        await onChanged();
      },
    });
  return (
    <section class="card">
      <header class="split">
        <h2>{key.name}</h2>
        {key.is_system && <span class="tag">{t.system}</span>}
        {!key.is_active && <span class="tag warning">{t.off}</span>}
      </header>
      <p class="hint">{key.scopes.join(", ")}</p>
      <Facts
        of={[
          [t.beginning, <code key="prefix">{key.key_prefix}</code>],
          [t.used, key.last_used_at === null ? t.never : <Ago key="used" at={key.last_used_at} />],
          [t.ends, key.expires_at === null ? null : <Ago key="ends" at={key.expires_at} />],
        ]}
      />
      <footer class="actions">
        {may("api_keys:write") && (
          <>
            <Button onClick={toggle}>{key.is_active ? t.switchOff : t.switchOn}</Button>
            <Button onClick={renew}>{t.renew}</Button>
          </>
        )}
        {may("api_keys:delete") && !key.is_system && (
          <Button icon="trash" label={`${t.remove}: ${key.name}`} onClick={remove} />
        )}
      </footer>
    </section>
  );
}
