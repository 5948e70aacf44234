import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { go, to } from "../../route";
import { may, me } from "../../session";
import { day } from "../../times";
import { Button } from "../../ui/button";
import { ask, Dialog } from "../../ui/dialog";
import { bound, Form, NumberField, picked, SelectField, TextField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Facts, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";

const words = inLanguages({
  en: {
    all: "All users",
    email: "Email address",
    none: "none",
    since: "Since",
    last: "Last here",
    never: "never",
    roles: "Roles",
    addRole: "Give a role",
    choose: "Choose a role",
    takeRole: (role: string) => `Take the role ${role}`,
    takeText: "Its rights end at once, also on open pages.",
    sessions: "Sign out everywhere",
    sessionsText: "Every browser, app and phone of this user has to sign in again.",
    signedOut: "Signed out everywhere.",
    unlock: "Unlock the second factor",
    unlocked: "Unlocked.",
    ban: "Ban",
    banText: "All sessions end, and no sign-in is possible until the ban ends.",
    banned: "Banned",
    until: "until",
    forGood: "for good",
    reason: "Reason",
    days: "Days",
    daysHint: "Empty: for good",
    unban: "Lift the ban",
    remove: "Delete this user",
    removeText: "The account can't sign in any more. Its records stay.",
    force: "Erase at once",
    forceText: "Addresses, keys, sessions and personal data are erased at once.",
    keep: "Cancel the deletion",
    deleted: "Deleted",
    scheduled: "Will be erased",
  },
  de: {
    all: "Alle Benutzer",
    email: "E-Mail-Adresse",
    none: "keine",
    since: "Seit",
    last: "Zuletzt hier",
    never: "nie",
    roles: "Rollen",
    addRole: "Rolle geben",
    choose: "Rolle wählen",
    takeRole: (role: string) => `Rolle ${role} nehmen`,
    takeText: "Ihre Rechte enden sofort, auch auf offenen Seiten.",
    sessions: "Überall abmelden",
    sessionsText: "Jeder Browser, jede App und jedes Telefon dieses Benutzers muss sich neu anmelden.",
    signedOut: "Überall abgemeldet.",
    unlock: "Zweiten Faktor entsperren",
    unlocked: "Entsperrt.",
    ban: "Sperren",
    banText: "Alle Sitzungen enden, und bis die Sperre endet, ist keine Anmeldung möglich.",
    banned: "Gesperrt",
    until: "bis",
    forGood: "für immer",
    reason: "Grund",
    days: "Tage",
    daysHint: "Leer: für immer",
    unban: "Sperre aufheben",
    remove: "Diesen Benutzer löschen",
    removeText: "Das Konto kann sich nicht mehr anmelden. Was es geschrieben hat, bleibt.",
    force: "Sofort tilgen",
    forceText: "Adressen, Schlüssel, Sitzungen und persönliche Daten werden sofort getilgt.",
    keep: "Löschung zurücknehmen",
    deleted: "Gelöscht",
    scheduled: "Wird getilgt",
  },
});

/** One user: what they may do, and what may be done about them. */
export function UserDetails({ id }: { id: string }): JSX.Element {
  const t = words();
  const path = { id };
  const isBanning = useSignal(false);
  const loaded = useLoaded(async () => {
    const [user, accounts, roles, ban, deletion] = await Promise.all([
      call(() => api.GET("/v1/users/{id}", { params: { path } })),
      call(() => api.GET("/v1/users/{id}/accounts", { params: { path } })),
      call(() => api.GET("/v1/users/{id}/roles", { params: { path } })),
      call(() => api.GET("/v1/users/{id}/ban", { params: { path } })),
      call(() => api.GET("/v1/admin/users/{id}/deletion-status", { params: { path } })),
    ]);
    return {
      user: user.data,
      email: emailOf(accounts.data),
      roles: roles.roles,
      ban: ban.active_ban,
      deletion,
    };
  }, [id]);
  const changed = loaded.reload;
  const take = (role: { id: string; name: string }) =>
    ask({
      title: t.takeRole(role.name),
      text: t.takeText,
      action: common().remove,
      perform: async () => {
        const which = { ...path, role_id: role.id };
        await call(() => api.DELETE("/v1/users/{id}/roles/{role_id}", { params: { path: which } }));
        await changed();
      },
    });
  const signOut = () =>
    ask({
      title: t.sessions,
      text: t.sessionsText,
      action: t.sessions,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/{id}/sessions", { params: { path } }));
        say(t.signedOut);
      },
    });
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/{id}", { params: { path } }));
        await changed();
      },
    });
  const erase = () =>
    ask({
      title: t.force,
      text: `${t.forceText} ${common().sure}`,
      action: t.force,
      perform: async () => {
        await call(() => api.POST("/v1/admin/users/{id}/force-delete", { params: { path }, body: {} }));
        go(["admin", "users"], {}, true);
      },
    });
  return (
    <>
      <a href={to(["admin", "users"])}>{t.all}</a>
      <Show of={loaded}>
        {({ user, email, roles, ban, deletion }) => (
          <>
            <h2>{user.username}</h2>
            {ban && (
              <div class="notice bad">
                <p>
                  {t.banned}{" "}
                  {ban.expires_at === null ? (
                    t.forGood
                  ) : (
                    <>
                      {t.until} <Ago at={ban.expires_at} />
                    </>
                  )}
                  {ban.reason && `: ${ban.reason}`}
                </p>
                {may("users:ban") && (
                  <Button
                    onClick={async () => {
                      await call(() => api.DELETE("/v1/users/{id}/ban", { params: { path } }));
                      await changed();
                    }}
                  >
                    {t.unban}
                  </Button>
                )}
              </div>
            )}
            {deletion.scheduled_deletion_at !== null && (
              <div class="notice warn">
                <p>
                  {t.scheduled} <Ago at={deletion.scheduled_deletion_at} />
                </p>
                {may("users:write") && (
                  <Button
                    onClick={async () => {
                      await call(() =>
                        api.POST("/v1/admin/users/{id}/cancel-deletion", { params: { path } }),
                      );
                      await changed();
                    }}
                  >
                    {t.keep}
                  </Button>
                )}
              </div>
            )}
            <Facts
              of={[
                [t.email, email ?? t.none],
                [t.since, day(Date.parse(user.created_at))],
                [t.last, user.last_login_at === null ? t.never : <Ago key="last" at={user.last_login_at} />],
                [t.deleted, user.deleted_at === null ? null : <Ago key="deleted" at={user.deleted_at} />],
              ]}
            />
            <Section title={t.roles}>
              <ul class="rows">
                {roles.map((role) => (
                  <li key={role.id} class="row">
                    <Icon name="admin" />
                    <span class="row-main">{role.name}</span>
                    {may("users:write") && (
                      <Button
                        kind="quiet"
                        icon="close"
                        label={t.takeRole(role.name)}
                        onClick={() => take(role)}
                      />
                    )}
                  </li>
                ))}
              </ul>
              {may("users:write") && may("roles:read") && (
                <GiveRole id={id} has={roles.map((role) => role.id)} onGiven={changed} />
              )}
            </Section>
            {user.id !== me.value?.id && (
              <div class="actions left">
                {may("users:write") && <Button onClick={signOut}>{t.sessions}</Button>}
                {may("two_factor:manage") && (
                  <Button
                    onClick={async () => {
                      await call(() => api.POST("/v1/users/{id}/2fa/unlock", { params: { path } }));
                      say(t.unlocked);
                    }}
                  >
                    {t.unlock}
                  </Button>
                )}
                {may("users:ban") && !ban && (
                  <Button
                    onClick={() => {
                      isBanning.value = true;
                    }}
                  >
                    {t.ban}
                  </Button>
                )}
                {may("users:delete") && user.deleted_at === null && (
                  <Button kind="danger" onClick={remove}>
                    {t.remove}
                  </Button>
                )}
                {may("users:delete") && (
                  <Button kind="danger" onClick={erase}>
                    {t.force}
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </Show>
      {isBanning.value && (
        <Banning
          id={id}
          onClose={() => {
            isBanning.value = false;
            void changed();
          }}
        />
      )}
    </>
  );
}

/** The address of the account that stands for a user, or of another one. */
const emailOf = (accounts: readonly Schemas["PlatformAccount"][]): string | null =>
  accounts
    .toSorted((one, other) => Number(other.is_primary) - Number(one.is_primary))
    .find(({ email }) => email)?.email ?? null;

function GiveRole({
  id,
  has,
  onGiven,
}: {
  id: string;
  has: readonly string[];
  onGiven: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const chosen = useSignal("");
  const roles = useLoaded(() => call(() => api.GET("/v1/roles")), []);
  const give = async () => {
    await call(() =>
      api.POST("/v1/users/{id}/roles", { params: { path: { id } }, body: { role_id: chosen.value } }),
    );
    chosen.value = "";
    await onGiven();
  };
  return (
    <Show of={roles}>
      {({ data }) => (
        <Form action={t.addRole} onSubmit={give}>
          <SelectField
            label={t.addRole}
            {...picked(chosen)}
            options={[
              ["", t.choose],
              ...data.filter((role) => !has.includes(role.id)).map((role) => [role.id, role.name] as const),
            ]}
          />
        </Form>
      )}
    </Show>
  );
}

function Banning({ id, onClose }: { id: string; onClose: () => void }): JSX.Element {
  const t = words();
  const reason = useSignal("");
  const days = useSignal<number | null>(null);
  const ban = async () => {
    await call(() =>
      api.POST("/v1/users/{id}/ban", {
        params: { path: { id } },
        body: {
          reason: reason.value.trim() || null,
          duration_seconds: days.value === null ? null : Math.round(days.value * 86_400),
        },
      }),
    );
    onClose();
  };
  return (
    <Dialog title={t.ban} onClose={onClose}>
      <p>{t.banText}</p>
      <Form kind="danger" action={t.ban} onSubmit={ban} onCancel={onClose}>
        <TextField label={`${t.reason} (${common().optional})`} maxLength={1_000} {...bound(reason)} />
        <NumberField label={t.days} hint={t.daysHint} min={0.01} {...bound(days)} />
      </Form>
    </Dialog>
  );
}
