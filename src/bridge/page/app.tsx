import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Entrance } from "./entrance/Entrance";
import { Renewal } from "./entrance/Renewal";
import { Return } from "./entrance/Return";
import { inLanguages } from "./language";
import { askWho, session } from "./session";
import { Shell } from "./shell";

const words = inLanguages({
  en: { asking: "One moment…", unreached: "The server can't be reached. Trying again…" },
  de: { asking: "Einen Augenblick …", unreached: "Der Server ist nicht erreichbar. Neuer Versuch läuft …" },
});

/** The whole page: the sign-in, or what lies behind it. */
export function App(): JSX.Element {
  const state = session.value;
  if (state === "asking") return <p class="alone">{words().asking}</p>;
  if (state === "unreached") return <Unreached />;
  if (state === "none") return <Entrance />;
  return (
    <>
      <Shell />
      <Renewal />
      {state === "ended" && <Return />}
    </>
  );
}

/** Asks again every few seconds. */
function Unreached(): JSX.Element {
  useEffect(() => {
    const timer = setInterval(askWho, 3_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="alone" role="status">
      {words().unreached}
    </p>
  );
}
