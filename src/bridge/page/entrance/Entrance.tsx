import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call } from "../api";
import { chosenLocale, inLanguages, locale } from "../language";
import { useLoaded } from "../ui/loaded";
import { FirstStart } from "./FirstStart";
import { SignIn } from "./SignIn";

const words = inLanguages({
  en: {
    title: "Sign in",
    lead: "Where your vessels and devices are, on one page.",
    first: "Welcome",
    other: "Deutsch",
    docs: "Documentation of the API",
  },
  de: {
    title: "Anmelden",
    lead: "Wo deine Schiffe und Geräte sind, auf einer Seite.",
    first: "Willkommen",
    other: "English",
    docs: "Dokumentation der Schnittstelle",
  },
});

/** The page for whoever isn't signed in; on an installation without users, the making of the first administrator. */
export function Entrance(): JSX.Element {
  const t = words();
  const start = useLoaded(() => call(() => api.GET("/bridge/first-start")), []);
  const isFirst = start.data?.is_needed === true;
  const title = isFirst ? t.first : t.title;
  useEffect(() => {
    document.title = `${title} – Fairlead`;
  }, [title]);
  return (
    <Hall title={title}>
      {isFirst && start.data ? (
        <FirstStart start={start.data} onChanged={start.reload} />
      ) : (
        <>
          <p>{t.lead}</p>
          <SignIn />
        </>
      )}
    </Hall>
  );
}

/** The frame of a page that stands alone: a mark, a title, the choice of language. */
export function Hall({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const t = words();
  return (
    <div class="hall">
      <main class="hall-card">
        <img class="mark" src="bridge/icon.svg" alt="" width={48} height={48} />
        <h1>{title}</h1>
        {children}
      </main>
      <footer class="hall-foot">
        <button
          type="button"
          class="button quiet"
          lang={locale.value === "de" ? "en" : "de"}
          onClick={() => {
            chosenLocale.value = locale.value === "de" ? "en" : "de";
          }}
        >
          {t.other}
        </button>
        <a class="button quiet" href="docs">
          {t.docs}
        </a>
      </footer>
    </div>
  );
}
