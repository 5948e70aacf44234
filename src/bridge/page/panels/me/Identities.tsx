import type { JSX } from "preact";
import { api, call } from "../../api";
import { goTo } from "../../elsewhere";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { words } from "./words";

/** The identities at providers that let oneself in, and the providers that may still be linked. */
export function Identities(): JSX.Element | null {
  const t = words();
  const loaded = useLoaded(async () => {
    const [{ data }, { providers }] = await Promise.all([
      call(() => api.GET("/v1/users/me/identities", { params: { query: { limit: 100 } } })),
      call(() => api.GET("/v1/auth/ways-in")),
    ]);
    const held = new Set(data.map(({ provider }) => provider));
    return { identities: data, providers: providers.filter(({ name }) => !held.has(name)) };
  }, []);
  const { data } = loaded;
  // An installation without providers has nothing to tell here.
  if (data && data.identities.length === 0 && data.providers.length === 0) return null;
  const unlink = (id: string, name: string) =>
    ask({
      title: `${t.unlink}: ${name}`,
      text: t.unlinkText(name),
      action: t.unlink,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/me/identities/{id}", { params: { path: { id } } }));
        await loaded.reload();
      },
    });
  return (
    <Section title={t.identities}>
      <Show of={loaded}>
        {({ identities, providers }) => (
          <>
            <p>{identities.length === 0 ? t.noIdentities : t.identitiesLead}</p>
            {identities.length > 0 && (
              <ul class="rows">
                {identities.map(({ id, display_name, label, created_at, last_used_at }) => (
                  <li key={id} class="row">
                    <span class="row-main">
                      <span class="row-title">
                        {display_name}
                        {label !== null && `: ${label}`}
                      </span>
                      <span class="hint">
                        {t.linked} <Ago at={created_at} />
                        {last_used_at !== null && (
                          <>
                            {" · "}
                            {t.signedIn} <Ago at={last_used_at} />
                          </>
                        )}
                      </span>
                    </span>
                    <Button onClick={() => unlink(id, label ?? display_name)}>{t.unlink}</Button>
                  </li>
                ))}
              </ul>
            )}
            {providers.length > 0 && (
              <div class="actions left">
                {providers.map(({ name, display_name }) => (
                  <Button key={name} onClick={() => goTo(name, "link")}>
                    {t.link(display_name)}
                  </Button>
                ))}
              </div>
            )}
            {providers.length > 0 && <p class="hint">{t.linkLead}</p>}
          </>
        )}
      </Show>
    </Section>
  );
}
