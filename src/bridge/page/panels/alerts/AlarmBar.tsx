import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { isAlarmed, mute, muted, type Urgent, urgent } from "../../alarms";
import { alertsState } from "../../alerts";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { may } from "../../session";
import { askForSound, chime, soundState } from "../../sound";
import { Button } from "../../ui/button";
import { Icon, type IconName } from "../../ui/icons";
import { Ago } from "../../ui/time";
import { Acknowledge } from "./Acknowledge";
import { headline, words } from "./words";

const texts = inLanguages({
  en: {
    region: "Open alerts",
    others: (count: number) => (count === 1 ? "and another one" : `and ${count} others`),
    mute: "Mute",
    muted: "muted",
    still: "Alarms make no sound here until you touch this page.",
    dumb: "This browser can't make a sound: watch the screen.",
    sound: "Switch the sound on",
    failed: "The alerts can't be read. Trying again…",
  },
  de: {
    region: "Offene Alarme",
    others: (count: number) => (count === 1 ? "und ein weiterer" : `und ${count} weitere`),
    mute: "Stumm",
    muted: "stumm",
    still: "Alarme sind hier erst zu hören, wenn du die Seite einmal berührt hast.",
    dumb: "Dieser Browser kann keinen Ton geben: Behalte den Bildschirm im Auge.",
    sound: "Ton einschalten",
    failed: "Die Alarme lassen sich nicht lesen. Neuer Versuch läuft …",
  },
});

const ICONS: Record<Urgent["severity"], IconName> = { alarm: "warning", warning: "alerts", info: "alerts" };

/** Open alerts, on top of every view. */
export function AlarmBar(): JSX.Element | null {
  const t = texts();
  if (!isAlarmed()) return null;
  const [worst] = urgent.value;
  return (
    <>
      {alertsState.value === "failed" && (
        <p class="bar warn" role="status">
          {t.failed}
        </p>
      )}
      {worst && <Worst key={worst.id} of={worst} />}
      <Sound isNeeded={worst?.severity === "alarm"} />
      <Spoken />
    </>
  );
}

function Worst({ of }: { of: Urgent }): JSX.Element {
  const t = texts();
  const isAnswering = useSignal(false);
  const { id, severity, raised_at, path, alert } = of;
  const others = urgent.value.length - 1;
  const isMuted = muted.value.has(id);
  const close = () => {
    isAnswering.value = false;
  };
  return (
    <section class={`alarm-bar ${severity}`} aria-label={t.region}>
      <Icon name={ICONS[severity]} size={28} />
      <div class="alarm-text">
        <p class="alarm-kind">
          <strong>{words().severity[severity]}</strong>
          {raised_at && (
            <>
              {" · "}
              <Ago at={raised_at} />
            </>
          )}
          {isMuted && ` · ${t.muted}`}
        </p>
        <p class="alarm-what">
          <a href={to(path)}>{headline(of)}</a>
          {others > 0 && (
            <>
              {" "}
              <a class="alarm-others" href={to([path[0] as string])}>
                {t.others(others)}
              </a>
            </>
          )}
        </p>
      </div>
      {!isAnswering.value && (
        <div class="alarm-actions">
          {severity === "alarm" && !isMuted && (
            <Button icon="mute" onClick={() => mute(id)}>
              {t.mute}
            </Button>
          )}
          {alert?.box_id === null && may("alerts:write") && (
            <Button
              kind="main"
              icon="check"
              onClick={() => {
                isAnswering.value = true;
              }}
            >
              {words().acknowledge}
            </Button>
          )}
        </div>
      )}
      {alert && isAnswering.value && <Acknowledge alert={alert} onDone={close} onCancel={close} />}
    </section>
  );
}

/** Says plainly that alarms can't be heard, while they can't. */
function Sound({ isNeeded }: { isNeeded: boolean }): JSX.Element | null {
  const t = texts();
  if (soundState.value === "on") return null;
  if (soundState.value === "none") return isNeeded ? <p class="bar warn">{t.dumb}</p> : null;
  return (
    <section class="bar warn sound-bar" aria-label={t.sound}>
      <Icon name="mute" />
      <p>{t.still}</p>
      <Button icon="sound" onClick={() => askForSound().then(chime)}>
        {t.sound}
      </Button>
    </section>
  );
}

/** The words of a screen reader: at once for an alarm, and when there is time for the rest. */
function Spoken(): JSX.Element {
  const [worst] = urgent.value;
  const text = worst ? `${words().severity[worst.severity]}: ${headline(worst)}` : "";
  const isAlarm = worst?.severity === "alarm";
  return (
    <>
      <p class="unseen" role="alert" aria-live="assertive">
        {isAlarm ? text : ""}
      </p>
      <p class="unseen" aria-live="polite">
        {isAlarm ? "" : text}
      </p>
    </>
  );
}
