import type { JSX } from "preact";
import { api, call } from "../../api";
import { inLanguages } from "../../language";
import { go, route, to } from "../../route";
import { may } from "../../session";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Pages } from "../../ui/pages";
import { Ago } from "../../ui/time";
import { UserDetails } from "./UserDetails";

const words = inLanguages({
  en: { invite: "Invite somebody", last: "last here", never: "never signed in", deleted: "deleted" },
  de: { invite: "Jemanden einladen", last: "zuletzt hier", never: "nie angemeldet", deleted: "gelöscht" },
});

/** All users, or one of them. */
export function Users(): JSX.Element {
  const t = words();
  const id = route.value.path[2];
  const page = Number(route.value.query.get("page") ?? 1);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/users", { params: { query: { page, limit: 20 } } })),
    [page, id],
  );
  if (id !== undefined) return <UserDetails id={id} />;
  return (
    <>
      {may("users:write") && (
        <a class="button main" href={to(["admin", "invitations"], { new: "1" })}>
          <Icon name="add" />
          <span>{t.invite}</span>
        </a>
      )}
      <Show of={loaded}>
        {({ data, pagination }) => (
          <>
            <ul class="rows">
              {data.map(({ id: each, username, last_login_at, deleted_at }) => (
                <li key={each}>
                  <a class="row" href={to(["admin", "users", each])}>
                    <Icon name="person" />
                    <span class="row-main">
                      <span class="row-title">{username}</span>
                      <span class="hint">
                        {last_login_at === null ? (
                          t.never
                        ) : (
                          <>
                            {t.last} <Ago at={last_login_at} />
                          </>
                        )}
                      </span>
                    </span>
                    {deleted_at !== null && <span class="tag warning">{t.deleted}</span>}
                  </a>
                </li>
              ))}
            </ul>
            <Pages
              pagination={pagination}
              onPage={(next) => go(["admin", "users"], { page: String(next) })}
            />
          </>
        )}
      </Show>
    </>
  );
}
