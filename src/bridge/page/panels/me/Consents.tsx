import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, type Schemas } from "../../api";
import { hearMessages } from "../../live";
import { scopeWords } from "../../scopes";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Show, useLoaded } from "../../ui/loaded";
import { Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { words } from "./words";

/** The applications that may act for oneself: what each may do, since when, and the end of it. */
export function Consents(): JSX.Element {
  const t = words();
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/users/me/consents", { params: { query: { limit: 100 } } })),
    [],
  );
  const { reload } = loaded;
  useEffect(
    () =>
      hearMessages(({ type }) => {
        if (type === "oauthConsentRevoked") void reload();
      }),
    [reload],
  );
  return (
    <Section title={t.consents}>
      <Show of={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t.noConsents}</p>
          ) : (
            <>
              <p>{t.consentsLead}</p>
              {data.map((consent) => (
                <Known key={consent.id} consent={consent} onEnded={reload} />
              ))}
            </>
          )
        }
      </Show>
    </Section>
  );
}

function Known({
  consent: { id, client, scopes, created_at, last_used_at },
  onEnded,
}: {
  consent: Schemas["Consent"];
  onEnded: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const end = () =>
    ask({
      title: t.endConsentOf(client.name),
      text: t.endConsentText(client.name),
      action: t.endConsent,
      perform: async () => {
        await call(() => api.DELETE("/v1/users/me/consents/{id}", { params: { path: { id } } }));
        await onEnded();
      },
    });
  return (
    <section class="card">
      <header class="split">
        <h3>{client.name}</h3>
        {client.is_first_party && <span class="tag">{t.ownApp}</span>}
        {!client.is_active && <span class="tag warning">{t.appOff}</span>}
      </header>
      <div>
        <p>{t.mayDo}</p>
        <ul class="points">
          {scopes.map((scope) => (
            <li key={scope}>{scopeWords(scope)}</li>
          ))}
        </ul>
      </div>
      <p class="hint">
        {t.agreed} <Ago at={created_at} /> ·{" "}
        {last_used_at === null ? (
          t.neverUsed
        ) : (
          <>
            {t.lastUsed} <Ago at={last_used_at} />
          </>
        )}
        {client.privacy_policy_url !== null && (
          <>
            {" · "}
            <a href={client.privacy_policy_url} target="_blank" rel="noopener noreferrer">
              {t.privacy}
            </a>
          </>
        )}
      </p>
      <footer class="actions">
        <Button onClick={end}>{t.endConsent}</Button>
      </footer>
    </section>
  );
}
