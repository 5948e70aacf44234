import type { JSX } from "preact";
import { api, call } from "../../api";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { words } from "./words";

/** The places where one is signed in, each of which can be signed out. */
export function Sessions(): JSX.Element {
  const t = words();
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/users/me/sessions", { params: { query: { limit: 100 } } })),
    [],
  );
  const end = async (session_id: string) => {
    await call(() => api.DELETE("/v1/users/me/sessions/{session_id}", { params: { path: { session_id } } }));
    await loaded.reload();
  };
  const endOthers = () =>
    ask({
      title: t.endAll,
      text: t.endAllText,
      action: t.endAll,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/me/sessions"));
        await loaded.reload();
      },
    });
  return (
    <Section title={t.sessions}>
      <Show of={loaded}>
        {({ sessions }) => (
          <>
            <ul class="rows">
              {sessions.map(({ id, browser_name, os_name, ip_address, last_activity_at, is_current }) => (
                <li key={id} class="row">
                  <span class="row-main">
                    <span class="row-title">
                      {[browser_name, os_name].filter((name) => name !== "Unknown").join(", ") || t.unknown}{" "}
                      {is_current && <span class="tag good">{t.thisOne}</span>}
                    </span>
                    <span class="hint">
                      {ip_address} · {t.lastActive} <Ago at={last_activity_at} />
                    </span>
                  </span>
                  {!is_current && <Button onClick={() => end(id)}>{t.end}</Button>}
                </li>
              ))}
            </ul>
            {sessions.length > 1 && (
              <div class="actions left">
                <Button onClick={endOthers}>{t.endAll}</Button>
              </div>
            )}
          </>
        )}
      </Show>
    </Section>
  );
}
