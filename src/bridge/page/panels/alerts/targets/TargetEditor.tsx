import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../../api";
import { locale as ownLocale } from "../../../language";
import { go, to } from "../../../route";
import { CheckField, Form, SelectField, TextField } from "../../../ui/form";
import { Show, useLoaded } from "../../../ui/loaded";
import { Panel } from "../../../ui/panel";
import { say } from "../../../ui/toasts";
import { common } from "../../../ui/words";
import { type Schedule, ScheduleField } from "../ScheduleField";
import { Secret } from "./Secret";
import type { Target } from "./TargetList";
import { words } from "./words";

type Kind = Target["kind"];
const KINDS: readonly Kind[] = ["ntfy", "email", "telegram", "webhook", "mqtt"];

/** A target as its form holds it; secrets are empty where they stay as they are. */
interface Draft {
  name: string;
  kind: Kind;
  url: string;
  to: string;
  server_url: string;
  topic: string;
  token: string;
  bot_token: string;
  chat_id: string;
  forgetsToken: boolean;
  is_active: boolean;
  is_default: boolean;
  locale: Target["locale"];
  quiet: Schedule | null;
}

const draftOf = (target: Target | null): Draft => ({
  name: target?.name ?? "",
  kind: target?.kind ?? "ntfy",
  url: target?.url ?? "",
  to: target?.to ?? "",
  server_url: target?.server_url ?? "https://ntfy.sh",
  topic: target?.topic ?? "",
  ...{ token: "", bot_token: "", forgetsToken: false },
  chat_id: target?.chat_id ?? "",
  is_active: target?.is_active ?? true,
  is_default: target?.is_default ?? true,
  locale: target?.locale ?? ownLocale.peek(),
  quiet: target?.quiet ?? null,
});

/** The fields that say where a target of a kind leads. A secret that isn't typed stays. */
function leading({ kind, url, to, server_url, topic, token, bot_token, chat_id, forgetsToken }: Draft) {
  const typed = (text: string) => text.trim();
  switch (kind) {
    case "webhook":
      return { url: typed(url) };
    case "email":
      return { to: typed(to) };
    case "ntfy":
      return {
        ...{ server_url: typed(server_url), topic: typed(topic) },
        ...(forgetsToken ? { token: null } : token && { token: typed(token) }),
      };
    case "mqtt":
      return { topic: typed(topic) };
    case "telegram":
      return { chat_id: typed(chat_id), ...(bot_token && { bot_token: typed(bot_token) }) };
  }
}

/** Whoever says where it leads answers for what is told there: only what is another is sent. */
function changesOf(target: Target, draft: Draft): Schemas["NotificationTargetChange"] {
  const { name, is_active, is_default, locale, quiet } = draft;
  const given = { name: name.trim(), is_active, is_default, locale, quiet, ...leading(draft) };
  const before: Record<string, unknown> = { ...target, token: undefined };
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)),
  );
}

/** Adds a target, or changes one. */
export function TargetEditor({ id }: { id: string | null }): JSX.Element {
  const t = words();
  const secret = useSignal<{ id: string; secret: string } | null>(null);
  const loaded = useLoaded(
    async () =>
      id === null
        ? "new"
        : (await call(() => api.GET("/v1/notification-targets/{id}", { params: { path: { id } } }))).data,
    [id],
  );
  const made = secret.value;
  if (made !== null)
    return <Secret secret={made.secret} onDone={() => go(["alerts", "targets", made.id], {}, true)} />;
  const back = to(["alerts", "targets", ...(id === null ? [] : [id])]);
  return (
    <Panel title={id === null ? t.new : t.title} back={back}>
      <Show of={loaded}>
        {(target) => (
          <Fields
            target={target === "new" ? null : target}
            onSecret={(shown) => {
              secret.value = shown;
            }}
          />
        )}
      </Show>
    </Panel>
  );
}

function Fields({
  target,
  onSecret,
}: {
  target: Target | null;
  onSecret: (made: { id: string; secret: string }) => void;
}): JSX.Element {
  const t = words();
  const draft = useSignal(draftOf(target));
  const set = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change };
  };
  const now = draft.value;
  const save = async () => {
    if (target) {
      const body = changesOf(target, now);
      if (Object.keys(body).length > 0)
        await call(() =>
          api.PATCH("/v1/notification-targets/{id}", { params: { path: { id: target.id } }, body }),
        );
      say(common().saved);
      go(["alerts", "targets", target.id], {}, true);
      return;
    }
    const { kind, is_active, is_default, locale, quiet } = now;
    const { token, ...fields } = { token: undefined, ...leading(now) };
    const { data } = await call(() =>
      api.POST("/v1/notification-targets", {
        body: {
          ...{ name: now.name.trim(), kind, is_active, is_default, locale, quiet },
          ...fields,
          ...(token && { token }),
        },
      }),
    );
    if (data.secret !== null) onSecret({ id: data.id, secret: data.secret });
    else go(["alerts", "targets", data.id], {}, true);
  };
  return (
    <Form action={target ? t.save : t.make} onSubmit={save}>
      {!target && (
        <SelectField
          label={t.kind}
          value={now.kind}
          options={KINDS.map((kind) => [kind, t.kinds[kind]] as const)}
          onChange={(kind) => set({ kind })}
        />
      )}
      <TextField
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={200}
        value={now.name}
        onInput={(name) => set({ name })}
      />
      {/* Fields of another kind are other elements: one that is used again keeps bounds that it lost. */}
      <Leading key={now.kind} draft={now} set={set} target={target} />
      <CheckField
        label={t.isDefault}
        isChecked={now.is_default}
        onChange={(is_default) => set({ is_default })}
      />
      <CheckField label={t.isActive} isChecked={now.is_active} onChange={(is_active) => set({ is_active })} />
      <SelectField
        label={t.locale}
        value={now.locale}
        options={(["en", "de"] as const).map((each) => [each, t.locales[each]] as const)}
        onChange={(locale) => set({ locale })}
      />
      <ScheduleField
        label={t.quiet}
        hint={t.quietHint}
        value={now.quiet}
        onChange={(quiet) => set({ quiet })}
      />
    </Form>
  );
}

/** The fields by which a target is reached. */
function Leading({
  draft,
  set,
  target,
}: {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  target: Target | null;
}): JSX.Element {
  const t = words();
  const kept = target?.has_token ? { hint: t.tokenKept } : {};
  const plain = { autocapitalize: "none", autocomplete: "off", spellcheck: false } as const;
  switch (draft.kind) {
    case "webhook":
      return (
        <TextField
          {...plain}
          label={t.url}
          type="url"
          required
          value={draft.url}
          onInput={(url) => set({ url })}
        />
      );
    case "email":
      return (
        <TextField
          {...plain}
          label={t.to}
          hint={t.toHint}
          type="email"
          required
          maxLength={254}
          value={draft.to}
          onInput={(to) => set({ to })}
        />
      );
    case "ntfy":
      return (
        <>
          <TextField
            {...plain}
            label={t.topic}
            hint={t.topicHint}
            required
            maxLength={64}
            value={draft.topic}
            onInput={(topic) => set({ topic })}
          />
          <TextField
            {...plain}
            label={t.server}
            hint={t.serverHint}
            type="url"
            required
            value={draft.server_url}
            onInput={(server_url) => set({ server_url })}
          />
          <TextField
            {...plain}
            {...kept}
            label={`${t.token} (${common().optional})`}
            maxLength={255}
            value={draft.token}
            onInput={(token) => set({ token, forgetsToken: false })}
          />
          {target?.has_token && (
            <CheckField
              label={t.forget}
              isChecked={draft.forgetsToken}
              onChange={(forgetsToken) => set({ forgetsToken, token: "" })}
            />
          )}
        </>
      );
    case "mqtt":
      return (
        <TextField
          {...plain}
          label={t.topic}
          hint={t.mqttHint}
          required
          maxLength={512}
          value={draft.topic}
          onInput={(topic) => set({ topic })}
        />
      );
    case "telegram":
      return (
        <>
          <TextField
            {...plain}
            hint={t.botTokenHint}
            {...kept}
            label={t.botToken}
            required={!target}
            maxLength={255}
            value={draft.bot_token}
            onInput={(bot_token) => set({ bot_token })}
          />
          <TextField
            {...plain}
            label={t.chat}
            hint={t.chatHint}
            required
            maxLength={65}
            value={draft.chat_id}
            onInput={(chat_id) => set({ chat_id })}
          />
        </>
      );
  }
}
