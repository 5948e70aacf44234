import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { isPermission, scopeWords } from "../../scopes";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import {
  AreaField,
  among,
  bound,
  CheckField,
  Form,
  picked,
  SelectField,
  TextField,
  ticked,
} from "../../ui/form";
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
    afterSignOut: "Addresses after a sign-out",
    scopes: "May ask for",
    scopesHint:
      "With blanks between them: openid, profile, email, offline_access, and permissions such as gps:read, which an administrator has to approve",
    approved: "Approved",
    approve: "Approve permissions",
    approveText: "What its tokens may do for whoever allows it, as far as they may do it themselves.",
    save: "Save",
    unapproved: (count: number) =>
      count === 1 ? "One permission waits for approval" : `${count} permissions wait for approval`,
    isFirst: "It belongs to this installation: nobody is asked whether they allow it",
    change: "Change",
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
    afterSignOut: "Adressen nach dem Abmelden",
    scopes: "Darf verlangen",
    scopesHint:
      "Mit Leerzeichen dazwischen: openid, profile, email, offline_access und Rechte wie gps:read, die ein Administrator freigeben muss",
    approved: "Freigegeben",
    approve: "Rechte freigeben",
    approveText: "Was seine Token für alle tun dürfen, die es ihm erlauben, soweit sie es selbst dürfen.",
    save: "Speichern",
    unapproved: (count: number) =>
      count === 1 ? "Ein Recht wartet auf Freigabe" : `${count} Rechte warten auf Freigabe`,
    isFirst: "Er gehört zu dieser Installation: Niemand wird gefragt, ob er es erlaubt",
    change: "Ändern",
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

/** True for whoever may approve what any client asks for. */
const isAdministrator = (): boolean => may("*:*");

/** OAuth clients: registered, changed, approved, switched off, given another secret, deleted; for an administrator all of them. */
export function Clients(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const made = useSignal<{ id: string; secret: string | null } | null>(null);
  const clients = useLoaded(
    () => call(() => (isAdministrator() ? api.GET("/v1/oauth/clients/all") : api.GET("/v1/oauth/clients"))),
    [],
  );
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
      <Once of={made} title={t.done}>
        {({ id, secret }) => (
          <>
            <Copyable label={t.id} text={id} />
            {secret !== null && (
              <>
                <Copyable label={t.secret} text={secret} />
                <p class="notice warn">{t.once}</p>
              </>
            )}
          </>
        )}
      </Once>
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
  const [name, uris, scopes] = [useSignal(""), useSignal(""), useSignal("openid profile email")];
  const type = useSignal<Client["client_type"]>("public");
  const make = async () => {
    const { client, client_secret } = await call(() =>
      api.POST("/v1/oauth/clients", {
        body: {
          name: name.value.trim(),
          client_type: type.value,
          redirect_uris: pieces(uris.value),
          allowed_scopes: pieces(scopes.value),
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
        <TextField label={t.scopes} hint={t.scopesHint} {...bound(scopes)} />
      </Form>
    </section>
  );
}

/** The pieces of a text between its blanks and lines. */
const pieces = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Changes what a client may ask for, and where it sends its users. */
function ChangeClient({
  client,
  onDone,
  onCancel,
}: {
  client: Client;
  onDone: () => Promise<void>;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const [name, uris] = [useSignal(client.name), useSignal(client.redirect_uris.join("\n"))];
  const out = useSignal(client.post_logout_redirect_uris.join("\n"));
  const scopes = useSignal(client.allowed_scopes.join(" "));
  const isFirst = useSignal(client.is_first_party);
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/oauth/clients/{id}", {
        params: { path: { id: client.id } },
        body: {
          name: name.value.trim(),
          redirect_uris: pieces(uris.value),
          post_logout_redirect_uris: pieces(out.value),
          allowed_scopes: pieces(scopes.value),
          // A super admin's alone: sent only where it changes.
          ...(isFirst.value !== client.is_first_party && { is_first_party: isFirst.value }),
        },
      }),
    );
    await onDone();
  };
  return (
    <Form action={t.save} onSubmit={save} onCancel={onCancel}>
      <TextField label={t.name} required maxLength={200} {...bound(name)} />
      <AreaField label={t.uris} hint={t.urisHint} required {...bound(uris)} />
      <AreaField label={t.afterSignOut} hint={t.urisHint} {...bound(out)} />
      <TextField label={t.scopes} hint={t.scopesHint} {...bound(scopes)} />
      {isAdministrator() && <CheckField label={t.isFirst} {...ticked(isFirst)} />}
    </Form>
  );
}

/** Approves, one by one, the permissions that a client may ask for. */
function Approval({
  client,
  onDone,
  onCancel,
}: {
  client: Client;
  onDone: () => Promise<void>;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const chosen = useSignal<readonly string[]>(client.approved_scopes);
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/oauth/clients/{id}", {
        params: { path: { id: client.id } },
        body: { approved_scopes: [...chosen.value] },
      }),
    );
    await onDone();
  };
  return (
    <Form action={t.save} onSubmit={save} onCancel={onCancel}>
      <fieldset>
        <legend>{t.approve}</legend>
        <p class="hint">{t.approveText}</p>
        {client.allowed_scopes.filter(isPermission).map((scope) => (
          <CheckField key={scope} label={`${scopeWords(scope)} (${scope})`} {...among(chosen, scope)} />
        ))}
      </fieldset>
    </Form>
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
  const open = useSignal<"change" | "approval" | null>(null);
  const waiting = client.allowed_scopes.filter(
    (scope) => isPermission(scope) && !client.approved_scopes.includes(scope),
  ).length;
  const forms = {
    client,
    onDone: async () => {
      open.value = null;
      await onChanged();
    },
    onCancel: () => {
      open.value = null;
    },
  };
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
        {waiting > 0 && <span class="tag warning">{t.unapproved(waiting)}</span>}
        {!client.is_active && <span class="tag warning">{t.off}</span>}
      </header>
      <Facts
        of={[
          [t.id, <code key="id">{client.id}</code>],
          [t.type, t.types[client.client_type]],
          [t.uris, client.redirect_uris.join(" ")],
          [t.afterSignOut, client.post_logout_redirect_uris.join(" ") || null],
          [t.scopes, client.allowed_scopes.join(" ") || null],
          [t.approved, client.approved_scopes.join(" ") || null],
        ]}
      />
      {open.value === "change" && <ChangeClient {...forms} />}
      {open.value === "approval" && <Approval {...forms} />}
      {may("oauth_clients:write") && open.value === null && (
        <footer class="actions">
          {isAdministrator() && client.allowed_scopes.some(isPermission) && (
            <Button
              onClick={() => {
                open.value = "approval";
              }}
            >
              {t.approve}
            </Button>
          )}
          <Button
            onClick={() => {
              open.value = "change";
            }}
          >
            {t.change}
          </Button>
          <Button onClick={toggle}>{client.is_active ? t.switchOff : t.switchOn}</Button>
          {client.client_type === "confidential" && <Button onClick={renew}>{t.renew}</Button>}
          <Button icon="trash" label={`${t.remove}: ${client.name}`} onClick={remove} />
        </footer>
      )}
    </section>
  );
}
