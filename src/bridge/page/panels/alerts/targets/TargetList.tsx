import type { JSX } from "preact";
import { api, call, type Schemas } from "../../../api";
import { to } from "../../../route";
import { Icon } from "../../../ui/icons";
import { Paged } from "../../../ui/paged";
import { Empty } from "../../../ui/panel";
import { words } from "./words";

export type Target = Schemas["NotificationTarget"];

/** The place that a target leads to, without secrets. */
export function leadsTo({ kind, url, to, topic, server_url, chat_id }: Target): string {
  const server = kind === "ntfy" ? ` · ${new URL(server_url ?? "https://ntfy.sh").host}` : "";
  return url ?? to ?? (topic === null ? (chat_id ?? "") : `${topic}${server}`);
}

/** The targets, newest first. */
export function TargetList(): JSX.Element {
  const t = words();
  const add = (
    <a class="button main" href={to(["alerts", "targets", "new"])}>
      <Icon name="add" />
      <span>{t.new}</span>
    </a>
  );
  const none = (
    <Empty icon="phone" title={t.none}>
      <p>{t.noneHint}</p>
      {add}
    </Empty>
  );
  return (
    <Paged
      read={(page) => call(() => api.GET("/v1/notification-targets", { params: { query: { page } } }))}
      about={[]}
      none={none}
      actions={add}
      row={(target) => <Row key={target.id} of={target} />}
    />
  );
}

function Row({ of }: { of: Target }): JSX.Element {
  return (
    <li>
      <a class="row" href={to(["alerts", "targets", of.id])}>
        <span class="row-main">
          <span class="row-title">{of.name}</span>
          <span class="hint">
            {words().kinds[of.kind]} · {leadsTo(of)}
          </span>
        </span>
        <TargetState of={of} />
      </a>
    </li>
  );
}

/** A word on a target that is no ordinary one. */
export function TargetState({ of }: { of: Target }): JSX.Element | null {
  const t = words();
  if (!of.is_active) return <span class="tag">{t.off}</span>;
  if (of.is_silent) return <span class="tag warning">{t.silent}</span>;
  return of.is_default ? <span class="tag good">{t.default}</span> : null;
}
