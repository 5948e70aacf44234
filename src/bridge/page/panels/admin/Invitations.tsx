import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { go, route } from "../../route";
import { may } from "../../session";
import { useAddress } from "../../ui/address";
import { Button } from "../../ui/button";
import { Choices } from "../../ui/choices";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { among, bound, CheckField, Form, NumberField, SelectField, TextField } from "../../ui/form";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Once } from "../../ui/once";
import { Opener } from "../../ui/opener";
import { Pages } from "../../ui/pages";
import { Empty } from "../../ui/panel";
import { QrCode } from "../../ui/qr";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";

type Invitation = Schemas["Invitation"];
type Level = Schemas["InvitedShare"]["level"];

const words = inLanguages({
  en: {
    invite: "Invite somebody",
    none: "Nobody is invited",
    noneHint: "Whoever you invite makes an account of their own, with the roles and devices that you choose.",
    email: "Email address",
    emailHint: "Empty: you get a link to hand over",
    roles: "Roles",
    rolesHint: "Without a role they see what you choose above, and nothing else.",
    devices: "Devices that they see",
    level: (name: string) => `${name}: they see`,
    levels: {
      now: "where it is now",
      history: "its tracks and trips too",
      manage: "everything, and may change it",
    } satisfies Record<Level, string>,
    hours: "Good for (hours)",
    note: "A word to them",
    send: "Invite",
    sent: "The invitation was sent.",
    made: "Hand this link over",
    scan: "Their phone can scan it here, or you send the link. It is shown once.",
    link: "Link",
    byLink: "by a link",
    statuses: { pending: "open", accepted: "accepted", expired: "ended", revoked: "taken back" },
    ends: "ends",
    revoke: "Take it back",
    revokeText: "Its link leads nowhere any more.",
  },
  de: {
    invite: "Jemanden einladen",
    none: "Niemand ist eingeladen",
    noneHint: "Wen du einlädst, legt ein eigenes Konto an, mit den Rollen und Geräten, die du wählst.",
    email: "E-Mail-Adresse",
    emailHint: "Leer: Du bekommst einen Link zum Weitergeben",
    roles: "Rollen",
    rolesHint: "Ohne Rolle ist zu sehen, was du oben wählst, und sonst nichts.",
    devices: "Geräte, die zu sehen sind",
    level: (name: string) => `${name}: zu sehen ist`,
    levels: {
      now: "wo es gerade ist",
      history: "auch Strecken und Fahrten",
      manage: "alles, auch zum Ändern",
    } satisfies Record<Level, string>,
    hours: "Gilt für (Stunden)",
    note: "Ein Wort dazu",
    send: "Einladen",
    sent: "Die Einladung ist verschickt.",
    made: "Gib diesen Link weiter",
    scan: "Das andere Telefon kann ihn hier scannen, oder du verschickst ihn. Er wird nur einmal gezeigt.",
    link: "Link",
    byLink: "per Link",
    statuses: { pending: "offen", accepted: "angenommen", expired: "abgelaufen", revoked: "zurückgenommen" },
    ends: "endet",
    revoke: "Zurücknehmen",
    revokeText: "Ihr Link führt dann nirgendwohin.",
  },
});

const LEVELS = ["now", "history", "manage"] as const;

/** Invitations, and the way to make one. */
export function Invitations(): JSX.Element {
  const t = words();
  const { query } = route.value;
  const page = Number(query.get("page") ?? 1);
  const isOpen = useSignal(query.has("new"));
  const made = useSignal<string | null>(null);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/invitations", { params: { query: { page, limit: 20 } } })),
    [page],
  );
  const revoke = (invitation: Invitation) =>
    ask({
      title: t.revoke,
      text: t.revokeText,
      action: t.revoke,
      perform: async () => {
        await call(() => api.DELETE("/v1/invitations/{id}", { params: { path: { id: invitation.id } } }));
        await loaded.reload();
      },
    });
  return (
    <>
      {may("users:write") && (
        <Opener label={t.invite} isOpen={isOpen}>
          <NewInvitation
            onDone={(url) => {
              isOpen.value = false;
              made.value = url;
              if (url === null) say(t.sent);
              void loaded.reload();
            }}
            onCancel={() => {
              isOpen.value = false;
            }}
          />
        </Opener>
      )}
      <Show of={loaded}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              !isOpen.value && (
                <Empty icon="person" title={t.none}>
                  <p>{t.noneHint}</p>
                </Empty>
              )
            ) : (
              <ul class="rows">
                {data.map((invitation) => (
                  <li key={invitation.id} class="row">
                    <Icon name="person" />
                    <span class="row-main">
                      <span class="row-title">{invitation.email ?? t.byLink}</span>
                      <span class="hint">
                        {t.statuses[invitation.status]}
                        {invitation.status === "pending" && (
                          <>
                            {" · "}
                            {t.ends} <Ago at={invitation.expires_at} />
                          </>
                        )}
                      </span>
                    </span>
                    {invitation.status === "pending" && may("users:write") && (
                      <Button kind="quiet" icon="trash" label={t.revoke} onClick={() => revoke(invitation)} />
                    )}
                  </li>
                ))}
              </ul>
            )}
            <Pages
              pagination={pagination}
              onPage={(next) => go(["admin", "invitations"], { page: String(next) })}
            />
          </>
        )}
      </Show>
      <Once of={made} title={t.made}>
        {(url) => (
          <>
            <QrCode text={url} label={t.scan} />
            <p class="hint">{t.scan}</p>
            <Copyable label={t.link} text={url} />
          </>
        )}
      </Once>
    </>
  );
}

function NewInvitation({
  onDone,
  onCancel,
}: {
  /** With the link to hand over, or null where an email was sent. */
  onDone: (url: string | null) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const address = useAddress();
  const [email, note] = [useSignal(""), useSignal("")];
  const hours = useSignal<number | null>(72);
  const roleIds = useSignal<readonly string[]>([]);
  const levels = useSignal<ReadonlyMap<string, Level>>(new Map());
  const roles = useLoaded(
    async () => (may("roles:read") ? (await call(() => api.GET("/v1/roles"))).data : []),
    [],
  );
  const invite = async () => {
    const { data } = await call(() =>
      api.POST("/v1/invitations", {
        body: {
          email: email.value.trim() || null,
          note: note.value.trim() || null,
          role_ids: [...roleIds.value],
          device_shares: [...levels.value].map(([device_id, level]) => ({ device_id, level })),
          expires_in_hours: hours.value ?? 72,
          base_url: address.value,
        },
      }),
    );
    onDone(data.url);
  };
  return (
    <section class="card">
      <Form action={t.send} onSubmit={invite} onCancel={onCancel}>
        <TextField
          label={`${t.email} (${common().optional})`}
          hint={t.emailHint}
          type="email"
          {...bound(email)}
        />
        {address.field}
        {fleet.value.size > 0 && (
          <Choices
            legend={t.devices}
            of={[...fleet.value.values()].map(({ device }) => device.value)}
            chosen={[...levels.value.keys()]}
            none=""
            onChange={(ids) => {
              levels.value = new Map(ids.map((id) => [id, levels.peek().get(id) ?? "now"]));
            }}
          />
        )}
        {[...levels.value].map(([id, level]) => (
          <SelectField
            key={id}
            label={t.level(fleet.value.get(id)?.device.value.name ?? id)}
            value={level}
            options={LEVELS.map((each) => [each, t.levels[each]] as const)}
            onChange={(value) => {
              levels.value = new Map(levels.peek()).set(id, value);
            }}
          />
        ))}
        {roles.data && roles.data.length > 0 && (
          <fieldset>
            <legend>
              {t.roles} ({common().optional})
            </legend>
            <p class="hint">{t.rolesHint}</p>
            {roles.data.map((role) => (
              <CheckField
                key={role.id}
                label={role.name}
                {...(role.description && { hint: role.description })}
                {...among(roleIds, role.id)}
              />
            ))}
          </fieldset>
        )}
        <NumberField label={t.hours} min={1} step={1} required {...bound(hours)} />
        <TextField label={`${t.note} (${common().optional})`} maxLength={1_000} {...bound(note)} />
      </Form>
    </section>
  );
}
