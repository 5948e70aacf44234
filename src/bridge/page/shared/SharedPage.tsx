import type { JSX } from "preact";
import { inLanguages } from "../language";
import { Icon } from "../ui/icons";
import { Popover } from "../ui/popover";
import { Settings } from "../ui/settings";
import { Ago } from "../ui/time";
import { bearing, speed } from "../units";
import { isLost, positions, shared, state } from "./link";
import { SharedMap } from "./SharedMap";

const words = inLanguages({
  en: {
    asking: "One moment…",
    over: "This link shows nothing",
    overHint: "It has ended, was taken back, or isn't complete. Ask whoever gave it to you for another one.",
    unreached: "The server can't be reached. Trying again…",
    title: "Shared with you",
    until: "The link ends",
    nowhere: "no position yet",
    settings: "Looks and units",
    devices: "Devices",
  },
  de: {
    asking: "Einen Augenblick …",
    over: "Dieser Link zeigt nichts",
    overHint:
      "Er ist abgelaufen, wurde zurückgenommen oder ist nicht vollständig. Bitte um einen neuen, wo du ihn her hast.",
    unreached: "Der Server ist nicht erreichbar. Neuer Versuch läuft …",
    title: "Mit dir geteilt",
    until: "Der Link endet",
    nowhere: "noch keine Position",
    settings: "Aussehen und Einheiten",
    devices: "Geräte",
  },
});

/** The page of a link: the same map without an account, with what the link gives and nothing else. */
export function SharedPage(): JSX.Element {
  const t = words();
  if (state.value === "asking" || state.value === "unreached")
    return (
      <p class="alone" role="status">
        {state.value === "asking" ? t.asking : t.unreached}
      </p>
    );
  if (state.value === "over" || !shared.value)
    return (
      <main class="alone">
        <Icon name="share" size={32} />
        <h1>{t.over}</h1>
        <p class="soft">{t.overHint}</p>
      </main>
    );
  const { label, expires_at, devices } = shared.value;
  return (
    <div class="shared">
      <SharedMap />
      <main class="shared-card">
        <header class="split">
          <h1>{label ?? t.title}</h1>
          <Popover icon="moon" label={t.settings}>
            {() => <Settings />}
          </Popover>
        </header>
        {isLost.value && (
          <p class="notice warn" role="status">
            {t.unreached}
          </p>
        )}
        <ul aria-label={t.devices}>
          {devices.map(({ device_id, name }) => {
            const at = positions.value.get(device_id ?? "");
            return (
              <li key={device_id ?? name}>
                <strong>{name}</strong>{" "}
                {at ? (
                  <span>
                    {[
                      at.speed_kmh === null ? null : speed(at.speed_kmh),
                      at.heading === null ? null : bearing(at.heading),
                    ]
                      .filter(Boolean)
                      .join(", ")}{" "}
                    · <Ago at={at.timestamp} />
                  </span>
                ) : (
                  <span class="soft">{t.nowhere}</span>
                )}
              </li>
            );
          })}
        </ul>
        <p class="hint">
          {t.until} <Ago at={expires_at} />
        </p>
      </main>
    </div>
  );
}
