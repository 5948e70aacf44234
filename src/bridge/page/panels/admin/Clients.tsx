import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { AreaField, bound, Form, picked, SelectField, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Once } from "../../ui/once";
import { Opener } from "../../ui/opener";
import { Empty, Facts } from "../../ui/panel";
import { common } from "../../ui/words";

type Client = Schemas["OAuthClient"];

const words = inLanguages({
  en: {
    add: "Register a client",
    none: "No OAuth clients",
    noneHint: "An app that signs its users in here is registered with the addresses that it is sent back to.",
    name: "Name",
    type: "It",
    types: { confidential: "keeps a secret (a server)", public: "keeps none (an app, a page)" },
    uris: "Addresses to be sent back to",
    urisHint: "One a line",
    scopes: "Scopes",
    id: "Client identifier",
    secret: "Client secret",
    once: "Copy it now: it is shown once.",
    done: "Done",
    off: "switched off",
    first: "first-party",
    switchOff: "Switch off",
    switchOn: "Switch on",
    renew: "New secret",
    renewText: "The former secret stops working at once.",
    remove: "Delete this client",
    removeText: "Nobody can sign in with it any more.",
  },
  de: {
    add: "Client anmelden",
    none: "Keine OAuth-Clients",
    noneHint:
      "Eine App, die ihre Benutzer hier anmeldet, wird mit den Adressen eingetragen, zu denen sie zurückgeschickt wird.",
    name: "Name",
    type: "Er",
    types: {
      confidential: "hütet ein Geheimnis (ein Server)",
      public: "hütet keines (eine App, eine Seite)",
    },
    uris: "Adressen, zu denen zurückgeschickt wird",
    urisHint: "Eine je Zeile",
    scopes: "Scopes",
    id: "Kennung des Clients",
    secret: "Geheimnis des Clients",
    once: "Kopiere es jetzt: Es wird nur einmal gezeigt.",
    done: "Fertig",
    off: "abgeschaltet",
    first: "eigener",
    switchOff: "Abschalten",
    switchOn: "Einschalten",
    renew: "Neues Geheimnis",
    renewText: "Das bisherige gilt sofort nicht mehr.",
    remove: "Diesen Client löschen",
    removeText: "Niemand kann sich mehr mit ihm anmelden.",
  },
});

/** OAuth clients: registered, switched off, given another secret, deleted. */
export function Clients(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const made = useSignal<{ id: string; secret: string | null } | null>(null);
  const clients = useLoaded(() => call(() => api.GET("/v1/oauth/clients")), []);
  return (
    <>
      {may("oauth_clients:write") && (
        <Opener label={t.add} isOpen={isOpen}>
          <NewClient
            onMade={(client) => {
              made.value = client;
              isOpen.value = false;
              void clients.reload();
            }}
            onCancel={() => {
              isOpen.value = false;
            }}
          />
        </Opener>
      )}
      <Show of={clients}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="key" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            data.map((client) => (
              <Known
                key={client.id}
                client={client}
                onChanged={clients.reload}
                onSecret={(secret) => {
                  made.value = { id: client.id, secret };
                }}
              />
            ))
          )
        }
      </Show>
      {made.value && (
        <Once
          title={t.done}
          onDone={() => {
            made.value = null;
          }}
        >
          <Copyable label={t.id} text={made.value.id} />
          {made.value.secret !== null && (
            <>
              <Copyable label={t.secret} text={made.value.secret} />
              <p class="notice warn">{t.once}</p>
            </>
          )}
        </Once>
      )}
    </>
  );
}

function NewClient({
  onMade,
  onCancel,
}: {
  onMade: (client: { id: string; secret: string | null }) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const [name, uris] = [useSignal(""), useSignal("")];
  const type = useSignal<Client["client_type"]>("public");
  const make = async () => {
    const { client, client_secret } = await call(() =>
      api.POST("/v1/oauth/clients", {
        body: {
          name: name.value.trim(),
          client_type: type.value,
          redirect_uris: uris.value.split(/\s+/).filter(Boolean),
        },
      }),
    );
    onMade({ id: (client as Client).id, secret: client_secret });
  };
  return (
    <section class="card">
      <Form action={t.add} onSubmit={make} onCancel={onCancel}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
        <SelectField
          label={t.type}
          {...picked(type)}
          options={(["public", "confidential"] as const).map((each) => [each, t.types[each]] as const)}
        />
        <AreaField label={t.uris} hint={t.urisHint} required {...bound(uris)} />
      </Form>
    </section>
  );
}

function Known({
  client,
  onChanged,
  onSecret,
}: {
  client: Client;
  onChanged: () => Promise<void>;
  onSecret: (secret: string) => void;
}): JSX.Element {
  const t = words();
  const path = { id: client.id };
  const toggle = async () => {
    await call(() =>
      api.PATCH("/v1/oauth/clients/{id}", { params: { path }, body: { is_active: !client.is_active } }),
    );
    await onChanged();
  };
  const renew = () =>
    ask({
      title: t.renew,
      text: t.renewText,
      action: t.renew,
      perform: async () => {
        const { client_secret } = await call(() =>
          api.POST("/v1/oauth/clients/{id}/regenerate-secret", { params: { path }, body: {} }),
        );
        onSecret(client_secret);
      },
    });
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/oauth/clients/{id}", { params: { path } }));
        await onChanged();
      },
    });
  return (
    <section class="card">
      <header class="split">
        <h2>{client.name}</h2>
        {client.is_first_party && <span class="tag">{t.first}</span>}
        {!client.is_active && <span class="tag warning">{t.off}</span>}
      </header>
      <Facts
        of={[
          [t.id, <code key="id">{client.id}</code>],
          [t.type, t.types[client.client_type]],
          [t.uris, client.redirect_uris.join(" ")],
          [t.scopes, client.allowed_scopes.join(" ") || null],
        ]}
      />
      {may("oauth_clients:write") && (
        <footer class="actions">
          <Button onClick={toggle}>{client.is_active ? t.switchOff : t.switchOn}</Button>
          {client.client_type === "confidential" && <Button onClick={renew}>{t.renew}</Button>}
          <Button icon="trash" label={`${t.remove}: ${client.name}`} onClick={remove} />
        </footer>
      )}
    </section>
  );
}
