import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { go, route } from "../../route";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { Show, useLoaded } from "../../ui/loaded";
import { Once } from "../../ui/once";
import { Opener } from "../../ui/opener";
import { Pages } from "../../ui/pages";
import { Empty, Panel } from "../../ui/panel";
import { QrCode } from "../../ui/qr";
import { Ago } from "../../ui/time";
import { NewLink } from "./NewLink";

type Link = Schemas["ShareLink"];

const words = inLanguages({
  en: {
    title: "Shared links",
    add: "Make a link",
    lead: "A link shows devices or a trip to whoever has it, without an account.",
    none: "No links",
    noneHint:
      "Let family or customers follow a voyage: they see only what you choose, as long as you choose.",
    live: "live",
    history: "with its track",
    ends: "ends",
    opened: (count: number) => (count === 1 ? "opened once" : `opened ${count} times`),
    never: "never opened",
    last: "last",
    silent: "shows nothing: its maker may no longer show this",
    end: "End this link",
    endText: "Whoever has it sees nothing any more, at once.",
    unnamed: "Without a name",
    ofTrip: "A trip",
    made: "Here it is",
    scan: "The link as a code to scan",
    once: "Copy the link now: it is shown once.",
    link: "Link",
  },
  de: {
    title: "Geteilte Links",
    add: "Link machen",
    lead: "Ein Link zeigt Geräte oder eine Fahrt, wem immer du ihn gibst, ohne Konto.",
    none: "Keine Links",
    noneHint:
      "Lass Familie oder Kunden eine Reise verfolgen: Sie sehen nur, was du wählst, und so lange du willst.",
    live: "live",
    history: "mit Strecke",
    ends: "endet",
    opened: (count: number) => (count === 1 ? "einmal geöffnet" : `${count}-mal geöffnet`),
    never: "nie geöffnet",
    last: "zuletzt",
    silent: "zeigt nichts: Wer ihn gemacht hat, darf das nicht mehr zeigen",
    end: "Diesen Link beenden",
    endText: "Wer ihn hat, sieht sofort nichts mehr.",
    unnamed: "Ohne Namen",
    ofTrip: "Eine Fahrt",
    made: "Hier ist er",
    scan: "Der Link als Code zum Scannen",
    once: "Kopiere den Link jetzt: Er wird nur einmal gezeigt.",
    link: "Link",
  },
});

/** The links that show devices or trips to whoever has them. */
export function Links(): JSX.Element {
  const t = words();
  const page = Number(route.value.query.get("page") ?? 1);
  const trip = route.value.query.get("trip");
  const isMaking = useSignal(trip !== null);
  const made = useSignal<string | null>(null);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/share-links", { params: { query: { page, limit: 20 } } })),
    [page],
  );
  const close = () => {
    isMaking.value = false;
    if (trip !== null) go(["links"], {}, true);
  };
  const end = (link: Link) =>
    ask({
      title: t.end,
      text: t.endText,
      action: t.end,
      perform: async () => {
        await call(() => api.DELETE("/v1/share-links/{id}", { params: { path: { id: link.id } } }));
        await loaded.reload();
      },
    });
  return (
    <Panel title={t.title}>
      <p class="soft">{t.lead}</p>
      <Opener label={t.add} isOpen={isMaking}>
        <NewLink
          trip={trip}
          onMade={(url) => {
            made.value = url;
            close();
            void loaded.reload();
          }}
          onCancel={close}
        />
      </Opener>
      <Show of={loaded}>
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              !isMaking.value && (
                <Empty icon="share" title={t.none}>
                  <p>{t.noneHint}</p>
                </Empty>
              )
            ) : (
              <ul class="rows">
                {data.map((link) => (
                  <Row key={link.id} link={link} onEnd={() => end(link)} />
                ))}
              </ul>
            )}
            <Pages pagination={pagination} onPage={(next) => go(["links"], { page: String(next) })} />
          </>
        )}
      </Show>
      <Once of={made} title={t.made}>
        {(url) => (
          <>
            <QrCode text={url} label={t.scan} />
            <Copyable label={t.link} text={url} />
            <p class="notice warn">{t.once}</p>
          </>
        )}
      </Once>
    </Panel>
  );
}

function Row({ link, onEnd }: { link: Link; onEnd: () => void }): JSX.Element {
  const t = words();
  const names = link.device_ids.map((id) => fleet.value.get(id)?.device.value.name).filter(Boolean);
  const title = link.label ?? (names.join(", ") || (link.trip_id === null ? t.unnamed : t.ofTrip));
  return (
    <li class="row">
      <Icon name="share" />
      <span class="row-main">
        <span class="row-title">{title}</span>
        <span class="hint">
          {link.is_silent ? t.silent : t[link.level]} · {t.ends} <Ago at={link.expires_at} />
        </span>
        <span class="hint">
          {link.opened_count === 0 ? t.never : t.opened(link.opened_count)}
          {link.last_opened_at !== null && (
            <>
              , {t.last} <Ago at={link.last_opened_at} />
            </>
          )}
        </span>
      </span>
      <Button kind="quiet" icon="trash" label={`${t.end}: ${title}`} onClick={onEnd} />
    </li>
  );
}
