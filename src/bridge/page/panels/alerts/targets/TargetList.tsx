import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../../api";
import { to } from "../../../route";
import { Icon } from "../../../ui/icons";
import { Show, useLoaded } from "../../../ui/loaded";
import { Pages } from "../../../ui/pages";
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
  const page = useSignal(1);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/notification-targets", { params: { query: { page: page.value } } })),
    [page.value],
  );
  const add = (
    <a class="button main" href={to(["alerts", "targets", "new"])}>
      <Icon name="add" />
      <span>{t.new}</span>
    </a>
  );
  return (
    <Show of={loaded}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty icon="phone" title={t.none}>
            <p>{t.noneHint}</p>
            {add}
          </Empty>
        ) : (
          <>
            <div class="actions">{add}</div>
            <ul class="rows">
              {data.map((target) => (
                <li key={target.id}>
                  <a class="row" href={to(["alerts", "targets", target.id])}>
                    <span class="row-main">
                      <span class="row-title">{target.name}</span>
                      <span class="hint">
                        {t.kinds[target.kind]} · {leadsTo(target)}
                      </span>
                    </span>
                    <TargetState of={target} />
                  </a>
                </li>
              ))}
            </ul>
            <Pages
              pagination={pagination}
              onPage={(to) => {
                page.value = to;
              }}
            />
          </>
        )
      }
    </Show>
  );
}

/** A word on a target that is no ordinary one. */
export function TargetState({ of }: { of: Target }): JSX.Element | null {
  const t = words();
  if (!of.is_active) return <span class="tag">{t.off}</span>;
  if (of.is_silent) return <span class="tag warning">{t.silent}</span>;
  return of.is_default ? <span class="tag good">{t.default}</span> : null;
}
