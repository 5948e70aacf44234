import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages, locale } from "../../language";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import {
  AreaField,
  bound,
  CheckField,
  FieldFault,
  Form,
  NumberField,
  TextField,
  ticked,
} from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";
import { SETTINGS, wordsIn } from "./german";

type Entry = Schemas["SystemConfigEntry"];
type Setting = Schemas["Setting"];

const words = inLanguages({
  en: {
    system: "The server's own",
    systemLead: "They count at once, without a restart.",
    own: "Settings of your programs",
    ownLead: "Values under a name, for programs that use this server.",
    none: "There are none.",
    add: "Add a setting",
    key: "Name",
    value: "Value, as JSON",
    badValue: "The value is no JSON. Texts stand in quotation marks.",
    description: "Description",
    isPublic: "Everybody may read it",
    public: "public",
    remove: "Delete this setting",
    removeText: "Programs that read it find nothing.",
  },
  de: {
    system: "Die des Servers",
    systemLead: "Sie gelten sofort, ohne Neustart.",
    own: "Einstellungen deiner Programme",
    ownLead: "Werte unter einem Namen, für Programme, die diesen Server benutzen.",
    none: "Es gibt keine.",
    add: "Einstellung hinzufügen",
    key: "Name",
    value: "Wert, als JSON",
    badValue: "Der Wert ist kein JSON. Texte stehen in Anführungszeichen.",
    description: "Beschreibung",
    isPublic: "Jeder darf sie lesen",
    public: "öffentlich",
    remove: "Diese Einstellung löschen",
    removeText: "Programme, die sie lesen, finden nichts.",
  },
});

/** Values of the server that count at once, and those that programs keep here. */
export function Configuration(): JSX.Element {
  const t = words();
  const entries = useLoaded(() => call(() => api.GET("/v1/system-config")), []);
  return (
    <>
      <Section title={t.system}>
        <p class="soft">{t.systemLead}</p>
        <Show of={entries}>
          {(found) => (
            <div class="boxes">
              {found.map((entry) => (
                <Value key={entry.key} entry={entry} onSaved={entries.reload} />
              ))}
            </div>
          )}
        </Show>
      </Section>
      <Settings />
    </>
  );
}

function Value({ entry, onSaved }: { entry: Entry; onSaved: () => Promise<void> }): JSX.Element {
  const value = useSignal<number | null>(Number(entry.value));
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/system-config/{key}", {
        params: { path: { key: entry.key } },
        body: { value: value.value ?? 0 },
      }),
    );
    say(common().saved);
    await onSaved();
  };
  return (
    <section class="card">
      <Form action={common().save} onSubmit={save}>
        <NumberField
          label={entry.key}
          {...(entry.description !== null && {
            hint: wordsIn(locale.value, SETTINGS, entry.key, entry.description),
          })}
          required
          {...bound(value)}
        />
      </Form>
    </section>
  );
}

function Settings(): JSX.Element {
  const t = words();
  const edited = useSignal<Setting | "new" | null>(null);
  const settings = useLoaded(() => call(() => api.GET("/v1/settings")), []);
  const remove = ({ key }: Setting) =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/settings/{key}", { params: { path: { key } } }));
        await settings.reload();
      },
    });
  return (
    <Section title={t.own}>
      <p class="soft">{t.ownLead}</p>
      {edited.value ? (
        <Fields
          key={edited.value === "new" ? "new" : edited.value.key}
          setting={edited.value === "new" ? null : edited.value}
          onDone={() => {
            edited.value = null;
            void settings.reload();
          }}
        />
      ) : (
        may("settings:write") && (
          <div class="actions left">
            <Button
              icon="add"
              onClick={() => {
                edited.value = "new";
              }}
            >
              {t.add}
            </Button>
          </div>
        )
      )}
      <Show of={settings}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="soft">{t.none}</p>
          ) : (
            <ul class="rows">
              {data.map((setting) => (
                <li key={setting.key} class="row">
                  <span class="row-main">
                    <span class="row-title">{setting.key}</span>
                    <code>{JSON.stringify(setting.value)}</code>
                    {setting.description && <span class="hint">{setting.description}</span>}
                  </span>
                  {setting.is_public && <span class="tag">{t.public}</span>}
                  {may("settings:write") && (
                    <Button
                      kind="quiet"
                      icon="edit"
                      label={`${common().edit}: ${setting.key}`}
                      onClick={() => {
                        edited.value = setting;
                      }}
                    />
                  )}
                  {may("settings:delete") && (
                    <Button
                      kind="quiet"
                      icon="trash"
                      label={`${t.remove}: ${setting.key}`}
                      onClick={() => remove(setting)}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Section>
  );
}

function Fields({ setting, onDone }: { setting: Setting | null; onDone: () => void }): JSX.Element {
  const t = words();
  const key = useSignal(setting?.key ?? "");
  const value = useSignal(setting ? JSON.stringify(setting.value, null, 2) : "");
  const description = useSignal(setting?.description ?? "");
  const isPublic = useSignal(setting?.is_public ?? false);
  const save = async () => {
    const body = {
      value: parsed(value.value, t.badValue),
      description: description.value.trim() || null,
      is_public: isPublic.value,
    };
    if (setting)
      await call(() => api.PUT("/v1/settings/{key}", { params: { path: { key: setting.key } }, body }));
    else await call(() => api.POST("/v1/settings", { body: { key: key.value.trim(), ...body } }));
    onDone();
  };
  return (
    <section class="card">
      <Form action={common().save} onSubmit={save} onCancel={onDone}>
        <TextField
          label={t.key}
          required
          maxLength={128}
          readOnly={setting !== null}
          spellcheck={false}
          {...bound(key)}
        />
        <AreaField label={t.value} required spellcheck={false} {...bound(value)} />
        <TextField
          label={`${t.description} (${common().optional})`}
          maxLength={1_000}
          {...bound(description)}
        />
        <CheckField label={t.isPublic} {...ticked(isPublic)} />
      </Form>
    </section>
  );
}

/** A value from its JSON. Throws a FieldFault for a text that is none. */
function parsed(text: string, fault: string): Setting["value"] {
  try {
    return JSON.parse(text) as Setting["value"];
  } catch {
    throw new FieldFault(fault);
  }
}
