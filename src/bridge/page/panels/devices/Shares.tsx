import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { bound, Form, picked, SelectField, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Empty, Panel, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";
import { common } from "../../ui/words";

type Level = Schemas["DeviceShare"]["level"];

const words = inLanguages({
  en: {
    title: "Who may see it",
    lead: "Users without the right to see everything see the devices that are shared with them.",
    none: "Shared with nobody",
    noneHint: "Choose a user and what they may see.",
    user: "User",
    userId: "Identifier of the user",
    userIdHint: "They find it under “My account”",
    level: "They see",
    levels: {
      now: "where it is now",
      history: "its tracks and trips too",
      manage: "everything, and may change it",
    } satisfies Record<Level, string>,
    until: "Until",
    share: "Share",
    shared: "Shared",
    end: "End this share",
    endText: (name: string) => `${name} no longer sees this device.`,
    endsAt: "ends",
    silent: "shows nothing: whoever shared it may no longer see it",
    choose: "Choose a user",
  },
  de: {
    title: "Wer es sehen darf",
    lead: "Benutzer ohne das Recht, alles zu sehen, sehen die Geräte, die mit ihnen geteilt sind.",
    none: "Mit niemandem geteilt",
    noneHint: "Wähle einen Benutzer und was er sehen darf.",
    user: "Benutzer",
    userId: "Kennung des Benutzers",
    userIdHint: "Sie steht dort unter „Mein Konto“",
    level: "Zu sehen ist",
    levels: {
      now: "wo es gerade ist",
      history: "auch Strecken und Fahrten",
      manage: "alles, auch zum Ändern",
    } satisfies Record<Level, string>,
    until: "Bis",
    share: "Teilen",
    shared: "Geteilt",
    end: "Nicht mehr teilen",
    endText: (name: string) => `${name} sieht dieses Gerät dann nicht mehr.`,
    endsAt: "endet",
    silent: "zeigt nichts: Wer es geteilt hat, darf es nicht mehr sehen",
    choose: "Benutzer wählen",
  },
});

const LEVELS: readonly Level[] = ["now", "history", "manage"];

/** The users with whom a device is shared. */
export function Shares({ id }: { id: string }): JSX.Element {
  const t = words();
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/devices/{id}/shares", { params: { path: { id }, query: { limit: 100 } } })),
    [id],
  );
  const end = (share: Schemas["DeviceShare"]) =>
    ask({
      title: t.end,
      text: t.endText(share.username),
      action: t.end,
      perform: async () => {
        const path = { id, user_id: share.user_id };
        await call(() => api.DELETE("/v1/devices/{id}/shares/{user_id}", { params: { path } }));
        await loaded.reload();
      },
    });
  return (
    <Panel title={t.title} back={to(["devices", id])}>
      <p class="soft">{t.lead}</p>
      <Show of={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="share" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            <ul class="rows">
              {data.map((share) => (
                <li key={share.user_id} class="row">
                  <span class="row-main">
                    <span class="row-title">{share.username}</span>
                    <span class="hint">
                      {share.is_silent ? t.silent : t.levels[share.level]}
                      {share.expires_at && (
                        <>
                          {" · "}
                          {t.endsAt} <Ago at={share.expires_at} />
                        </>
                      )}
                    </span>
                  </span>
                  <Button
                    icon="trash"
                    kind="quiet"
                    label={`${t.end}: ${share.username}`}
                    onClick={() => end(share)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      <Section title={t.share}>
        <NewShare id={id} onShared={loaded.reload} />
      </Section>
    </Panel>
  );
}

function NewShare({ id, onShared }: { id: string; onShared: () => Promise<void> }): JSX.Element {
  const t = words();
  const user = useSignal("");
  const level = useSignal<Level>("now");
  const until = useSignal("");
  const share = async () => {
    await call(() =>
      api.PUT("/v1/devices/{id}/shares/{user_id}", {
        params: { path: { id, user_id: user.value.trim() } },
        body: {
          level: level.value,
          expires_at: until.value ? new Date(until.value).toISOString() : null,
        },
      }),
    );
    user.value = "";
    say(t.shared);
    await onShared();
  };
  return (
    <Form action={t.share} onSubmit={share}>
      {may("users:read") ? (
        <UserChoice value={user.value} onChange={(value) => (user.value = value)} />
      ) : (
        <TextField label={t.userId} hint={t.userIdHint} required spellcheck={false} {...bound(user)} />
      )}
      <SelectField
        label={t.level}
        {...picked(level)}
        options={LEVELS.map((each) => [each, t.levels[each]] as const)}
      />
      <TextField label={`${t.until} (${common().optional})`} type="datetime-local" {...bound(until)} />
    </Form>
  );
}

function UserChoice({ value, onChange }: { value: string; onChange: (value: string) => void }): JSX.Element {
  const t = words();
  const users = useLoaded(() => call(() => api.GET("/v1/users", { params: { query: { limit: 100 } } })), []);
  return (
    <Show of={users}>
      {({ data }) => (
        <SelectField
          label={t.user}
          value={value}
          options={[["", t.choose], ...data.map(({ id, username }) => [id, username] as const)]}
          onChange={onChange}
        />
      )}
    </Show>
  );
}
