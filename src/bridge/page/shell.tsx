import { signal, useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isAlarmed } from "./alarms";
import { inLanguages } from "./language";
import { isLost } from "./live";
import { MapStage } from "./map/MapStage";
import { AlarmBar } from "./panels/alerts/AlarmBar";
import { route, to } from "./route";
import { Questions } from "./ui/dialog";
import { Icon } from "./ui/icons";
import { Settings } from "./ui/settings";
import { Toasts } from "./ui/toasts";
import { VIEWS, type View } from "./views";

const words = inLanguages({
  en: {
    main: "Views",
    more: "More",
    skip: "Skip to the content",
    lost: "Connection lost. Trying again…",
    deaf: "New alarms can't be heard here until it is back.",
    loading: "Loading…",
    broken: "This view can't be loaded. Check the connection and reload the page.",
    hidden: "This view isn't for this account.",
  },
  de: {
    main: "Ansichten",
    more: "Mehr",
    skip: "Zum Inhalt springen",
    lost: "Verbindung verloren. Neuer Versuch läuft …",
    deaf: "Bis sie wieder da ist, sind neue Alarme hier nicht zu hören.",
    loading: "Wird geladen …",
    broken: "Diese Ansicht lässt sich nicht laden. Prüfe die Verbindung und lade die Seite neu.",
    hidden: "Diese Ansicht ist nicht für dieses Konto.",
  },
});

/** Views that have a place of their own in the bar of a phone; the rest are behind "More". */
const ON_PHONE = ["map", "devices", "alerts", "anchor"];

/** A phone shows a list over the map, which is hidden then. The sheet of the frame has the same bound. */
const narrow = matchMedia("(max-width: 799px)");
const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});

/** Everything behind the sign-in: the map, the view beside it or over it, and the way to the others. */
export function Shell(): JSX.Element {
  const t = words();
  const name = route.value.path[0] ?? "map";
  const isMenu = name === "menu";
  const view = VIEWS.find((each) => each.name === name);
  const layout = isMenu ? "side" : (view?.layout ?? "side");
  return (
    <div class="shell" data-layout={layout}>
      <button type="button" class="skip" onClick={skip}>
        {t.skip}
      </button>
      <div class="bars">
        {isLost.value && (
          <p class="bar warn" role="status">
            {t.lost} {isAlarmed() && t.deaf}
          </p>
        )}
        <AlarmBar />
      </div>
      <Navigation current={name} />
      <MapStage isHidden={layout === "wide" || (layout === "side" && isNarrow.value)} />
      <main id="content" tabIndex={-1} class="view" aria-label={view?.title() ?? t.more}>
        {isMenu ? <Menu /> : <Content key={name} view={view} />}
      </main>
      <Toasts />
      <Questions />
    </div>
  );
}

function skip(): void {
  document.getElementById("content")?.focus();
}

function Navigation({ current }: { current: string }): JSX.Element {
  const t = words();
  const shown = VIEWS.filter(({ isShown }) => isShown());
  const isBehindMore = current === "menu" || !ON_PHONE.includes(current);
  return (
    <nav class="nav" aria-label={t.main}>
      {shown.map(({ name, icon, title }) => (
        <a
          key={name}
          href={to([name])}
          class={ON_PHONE.includes(name) ? "" : "wide-only"}
          aria-current={name === current ? "page" : undefined}
        >
          <Icon name={icon} size={24} />
          <span>{title()}</span>
        </a>
      ))}
      <a href={to(["menu"])} class="narrow-only" aria-current={isBehindMore ? "page" : undefined}>
        <Icon name="more" size={24} />
        <span>{t.more}</span>
      </a>
    </nav>
  );
}

/** All views, on a phone. */
function Menu(): JSX.Element {
  return (
    <div class="panel">
      <header class="panel-head">
        <h1>{words().more}</h1>
      </header>
      <ul class="rows">
        {VIEWS.filter(({ isShown, name }) => isShown() && !ON_PHONE.includes(name)).map(
          ({ name, icon, title }) => (
            <li key={name}>
              <a class="row" href={to([name])}>
                <Icon name={icon} />
                <span class="row-main">{title()}</span>
              </a>
            </li>
          ),
        )}
      </ul>
      <div class="panel-body">
        <Settings />
      </div>
    </div>
  );
}

function Content({ view }: { view: View | undefined }): JSX.Element {
  const t = words();
  const state = useSignal<ComponentType | "loading" | "broken">("loading");
  useEffect(() => {
    view?.load().then(
      (component) => {
        state.value = component;
      },
      () => {
        state.value = "broken";
      },
    );
  }, [view, state]);
  if (!view?.isShown()) return <p class="notice">{t.hidden}</p>;
  if (state.value === "loading") return <p class="loading">{t.loading}</p>;
  if (state.value === "broken") return <p class="notice bad">{t.broken}</p>;
  const Component = state.value;
  return <Component />;
}
