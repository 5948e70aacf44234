import { type Signal, signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { call, messageOf, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { dayAndClock, dayName } from "../../times";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { More } from "../../ui/more";
import { Panel } from "../../ui/panel";
import { distance, number } from "../../units";
import { kindOf, sendPositions } from "../../upload";

type Report = Schemas["ImportReport"];

const words = inLanguages({
  en: {
    title: "Import tracks",
    lead: (name: string) =>
      `Tracks that a plotter, a receiver or another app has kept become positions of ${name}. What is there already stays, so a file may be sent twice.`,
    files: "GPX or CSV files",
    filesHint: "Also packed with gzip. The first line of a CSV file names latitude, longitude and timestamp.",
    choose: "Choose files",
    drop: "or drop them here",
    waiting: "waits",
    sending: (percent: string) => `${percent} % are taken`,
    last: "The rest is being stored…",
    stop: "Stop",
    stopped: "Stopped. What had been taken stays.",
    otherKind: "Only files that end in .gpx or .csv, or in either and .gz, can be imported.",
    stored: (count: string) => `${count} positions imported`,
    nothing: "Nothing new in it",
    duplicates: (count: string) => `${count} were there already`,
    rejected: (count: string) => `${count} could not be taken`,
    which: "What could not be taken",
    line: (line: string, reason: string) => `Line ${line}: ${reason}`,
    reasons: {
      malformed: "can't be read",
      no_fix: "has no place on Earth",
      no_time: "has no time",
      in_the_future: "lies in the future",
      implausible_time: "is from before 1990: the receiver had lost its clock",
      too_large: "is too large",
      not_decrypted: "can't be decrypted",
      unknown_device: "is of another device",
    } satisfies Record<Report["rejections"][number]["reason"], string>,
    day: "Show the first day",
  },
  de: {
    title: "Strecken importieren",
    lead: (name: string) =>
      `Strecken, die ein Plotter, ein Empfänger oder eine andere App aufgezeichnet hat, werden zu Positionen von ${name}. Was schon da ist, bleibt; eine Datei darf also zweimal kommen.`,
    files: "GPX- oder CSV-Dateien",
    filesHint:
      "Auch mit gzip gepackt. Die erste Zeile einer CSV-Datei nennt latitude, longitude und timestamp.",
    choose: "Dateien wählen",
    drop: "oder hierher ziehen",
    waiting: "wartet",
    sending: (percent: string) => `${percent} % sind übernommen`,
    last: "Der Rest wird gespeichert …",
    stop: "Abbrechen",
    stopped: "Abgebrochen. Was übernommen war, bleibt.",
    otherKind: "Importieren lassen sich nur Dateien auf .gpx oder .csv, auch mit .gz dahinter.",
    stored: (count: string) => `${count} Positionen importiert`,
    nothing: "Darin ist nichts Neues",
    duplicates: (count: string) => `${count} waren schon da`,
    rejected: (count: string) => `${count} ließen sich nicht übernehmen`,
    which: "Was sich nicht übernehmen ließ",
    line: (line: string, reason: string) => `Zeile ${line}: ${reason}`,
    reasons: {
      malformed: "ist nicht zu lesen",
      no_fix: "hat keinen Ort auf der Erde",
      no_time: "hat keine Zeit",
      in_the_future: "liegt in der Zukunft",
      implausible_time: "ist von vor 1990: Der Empfänger hatte die Uhrzeit verloren",
      too_large: "ist zu groß",
      not_decrypted: "lässt sich nicht entschlüsseln",
      unknown_device: "ist von einem anderen Gerät",
    },
    day: "Den ersten Tag zeigen",
  },
});

type State =
  | { kind: "waiting" }
  | { kind: "sending"; part: number }
  | { kind: "done"; report: Report }
  | { kind: "failed"; text: string };

interface Sent {
  file: File;
  state: Signal<State>;
  stop: AbortController;
}

/** Sends files one after the other: the server takes no more than two of one user at once. */
async function sendAll(deviceId: string, files: readonly Sent[]): Promise<void> {
  const t = words();
  for (const { file, state, stop } of files) {
    // One that can't be sent, or was stopped before its turn, waits no more.
    if (state.peek().kind !== "waiting") continue;
    state.value = { kind: "sending", part: 0 };
    try {
      const progress = (part: number) => {
        state.value = { kind: "sending", part };
      };
      const report = await call(() => sendPositions(deviceId, file, progress, stop.signal));
      state.value = { kind: "done", report };
    } catch (error) {
      state.value = { kind: "failed", text: stop.signal.aborted ? t.stopped : messageOf(error) };
    }
  }
}

/** Takes over tracks from files. */
export function Import({ id }: { id: string }): JSX.Element {
  const t = words();
  const sent = useSignal<readonly Sent[]>([]);
  const isOver = useSignal(false);
  const queue = useRef(Promise.resolve());
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  const take = (files: FileList | null | undefined) => {
    const taken = [...(files ?? [])].map((file): Sent => {
      const fault: State = { kind: "failed", text: t.otherKind };
      const state = signal<State>(kindOf(file.name) ? { kind: "waiting" } : fault);
      return { file, state, stop: new AbortController() };
    });
    sent.value = [...sent.value, ...taken];
    queue.current = queue.current.then(() => sendAll(id, taken));
  };
  useEffect(
    () => () => {
      for (const { stop } of sent.peek()) stop.abort();
    },
    [sent],
  );
  return (
    <Panel title={t.title} back={to(["devices", id])}>
      <p>{t.lead(fleet.value.get(id)?.device.value.name ?? "…")}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same. */}
      <div
        class="drop"
        data-over={isOver.value || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          take(event.dataTransfer?.files);
        }}
      >
        <input
          ref={input}
          class="unseen"
          type="file"
          multiple
          accept=".gpx,.csv,.gz,application/gpx+xml,text/csv"
          aria-label={t.files}
          aria-describedby={hint}
          onChange={({ currentTarget }) => {
            take(currentTarget.files);
            // The same file may be chosen again.
            currentTarget.value = "";
          }}
        />
        <Button kind="main" icon="upload" onClick={() => input.current?.click()}>
          {t.choose}
        </Button>
        <span class="hint wide-only">{t.drop}</span>
        <small id={hint} class="hint">
          {t.filesHint}
        </small>
      </div>
      {sent.value.map((each, at) => (
        <Row key={at} of={each} deviceId={id} />
      ))}
    </Panel>
  );
}

function Row({ of: { file, state, stop }, deviceId }: { of: Sent; deviceId: string }): JSX.Element {
  const t = words();
  const now = state.value;
  return (
    <section class="card" aria-label={file.name}>
      <header class="split">
        <h2>{file.name}</h2>
        {(now.kind === "sending" || now.kind === "waiting") && (
          <Button
            onClick={() => {
              stop.abort();
              if (now.kind === "waiting") state.value = { kind: "failed", text: t.stopped };
            }}
          >
            {t.stop}
          </Button>
        )}
      </header>
      <div role="status">
        {now.kind === "waiting" && <p class="soft">{t.waiting}</p>}
        {now.kind === "sending" && (
          <>
            <progress max={1} value={now.part} aria-label={file.name} />
            <p class="soft">{now.part < 1 ? t.sending(number(Math.floor(100 * now.part))) : t.last}</p>
          </>
        )}
        {now.kind === "failed" && <p class="notice bad">{now.text}</p>}
        {now.kind === "done" && <Outcome report={now.report} deviceId={deviceId} />}
      </div>
    </section>
  );
}

function Outcome({ report, deviceId }: { report: Report; deviceId: string }): JSX.Element {
  const t = words();
  const { positions, duplicates, rejected, rejections, from, to: until, distance_km } = report;
  const told = [
    duplicates > 0 && t.duplicates(number(duplicates)),
    rejected > 0 && t.rejected(number(rejected)),
  ].filter(Boolean);
  return (
    <div class="outcome">
      <p>
        <Icon name="check" /> <strong>{positions > 0 ? t.stored(number(positions)) : t.nothing}</strong>
        {told.length > 0 && <span> · {told.join(" · ")}</span>}
      </p>
      {from !== null && until !== null && (
        <p class="soft">
          {dayAndClock(Date.parse(from))} – {dayAndClock(Date.parse(until))} · {distance(distance_km)}
        </p>
      )}
      {rejections.length > 0 && (
        <More title={t.which}>
          <ul class="soft">
            {rejections.map(({ line, reason }) => (
              <li key={line}>{t.line(number(line), t.reasons[reason])}</li>
            ))}
            {rejected > rejections.length && <li>…</li>}
          </ul>
        </More>
      )}
      {from !== null && (
        <a class="button" href={to(["day", deviceId, dayName(Date.parse(from))])}>
          {t.day}
        </a>
      )}
    </div>
  );
}
