import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, type Schemas } from "../../api";
import { BASE } from "../../base";
import { inLanguages } from "../../language";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Show, useLoaded } from "../../ui/loaded";
import { Empty, Facts, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";

const words = inLanguages({
  en: {
    none: "No connected accounts",
    noneHint: "Connect an account of another service below.",
    platforms: "Services",
    noPlatforms: "Whoever runs the server sets services up with integrations.PLATFORM.client_id.",
    connect: (name: string) => `Connect ${name}`,
    connected: "Connected",
    refreshed: "Renewed",
    may: "It may",
    off: "ended",
    refresh: "Renew",
    done: "The account is connected.",
    denied: "You didn't allow it there: nothing is connected.",
    failed: (reason: string) => `The account couldn't be connected (${reason}). Try again.`,
    remove: "Disconnect",
    removeText: "The other service is told that its tokens end.",
  },
  de: {
    none: "Keine verbundenen Konten",
    noneHint: "Verbinde unten ein Konto bei einem anderen Dienst.",
    platforms: "Dienste",
    noPlatforms: "Wer den Server betreibt, richtet Dienste mit integrations.PLATFORM.client_id ein.",
    connect: (name: string) => `${name} verbinden`,
    connected: "Verbunden",
    refreshed: "Erneuert",
    may: "Es darf",
    off: "beendet",
    refresh: "Erneuern",
    done: "Das Konto ist verbunden.",
    denied: "Du hast es dort nicht erlaubt: Nichts ist verbunden.",
    failed: (reason: string) => `Das Konto ließ sich nicht verbinden (${reason}). Versuche es noch einmal.`,
    remove: "Trennen",
    removeText: "Der andere Dienst erfährt, dass seine Token enden.",
  },
});

/** Tells how the way to another service and back has ended. It leaves the address at once. */
function tellOfReturn(): void {
  const t = words();
  const query = new URLSearchParams(location.search);
  const [status, reason] = [query.get("status"), query.get("reason")];
  if (status !== "connected" && status !== "error") return;
  history.replaceState(null, "", BASE + location.hash);
  say(
    status === "connected"
      ? t.done
      : reason === "access_denied"
        ? t.denied
        : t.failed(/^[a-z_]+$/.exec(reason ?? "")?.[0] ?? status),
  );
}

/** Accounts at other services that are connected. */
export function Integrations(): JSX.Element {
  const t = words();
  useEffect(tellOfReturn, []);
  const loaded = useLoaded(() => call(() => api.GET("/v1/integrations")), []);
  const platforms = useLoaded(() => call(() => api.GET("/v1/integrations/platforms")), []);
  return (
    <>
      <Show of={loaded}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="share" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            found.map((integration) => (
              <Connected key={integration.id} of={integration} onChanged={loaded.reload} />
            ))
          )
        }
      </Show>
      {may("integrations:write") && (
        <Section title={t.platforms}>
          <Show of={platforms}>
            {(found) => {
              const enabled = found.platforms.filter((platform) => platform.enabled);
              return enabled.length === 0 ? (
                <p class="soft">{t.noPlatforms}</p>
              ) : (
                <div class="actions left">
                  {enabled.map(({ slug, name }) => (
                    <Button key={slug} onClick={() => connect(slug)}>
                      {t.connect(name)}
                    </Button>
                  ))}
                </div>
              );
            }}
          </Show>
        </Section>
      )}
    </>
  );
}

/** Sends the browser to the other service, which sends it back here. */
async function connect(slug: string): Promise<void> {
  const path = { slug };
  const { scopes } = await call(() =>
    api.GET("/v1/integrations/platform/{slug}/scopes", { params: { path } }),
  );
  const { authorization_url } = await call(() =>
    api.POST("/v1/integrations/platform/{slug}/connect", {
      params: { path },
      body: {
        redirect_uri: `${BASE}#/admin/integrations`,
        scopes: scopes.filter(({ required }) => required).map(({ name }) => name),
      },
    }),
  );
  location.assign(authorization_url);
}

function Connected({
  of: integration,
  onChanged,
}: {
  of: Schemas["Integration"];
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const path = { id: integration.id };
  const refresh = async () => {
    await call(() => api.POST("/v1/integrations/{id}/refresh", { params: { path } }));
    await onChanged();
  };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: t.remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/integrations/{id}", { params: { path } }));
        await onChanged();
      },
    });
  return (
    <section class="card">
      <header class="split">
        <h2>
          {integration.display_name ?? integration.username}, {integration.platform_name}
        </h2>
        {!integration.is_active && <span class="tag warning">{t.off}</span>}
      </header>
      <Facts
        of={[
          [t.connected, <Ago key="connected" at={integration.connected_at} />],
          [
            t.refreshed,
            integration.last_refreshed_at === null ? null : (
              <Ago key="refreshed" at={integration.last_refreshed_at} />
            ),
          ],
          [t.may, integration.scopes.join(", ") || null],
        ]}
      />
      {may("integrations:write") && (
        <footer class="actions">
          <Button onClick={refresh}>{t.refresh}</Button>
          <Button kind="danger" onClick={remove}>
            {t.remove}
          </Button>
        </footer>
      )}
    </section>
  );
}
