import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { BASE } from "../../base";
import { type Box, readBoxes } from "../../boxes";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { present } from "../../times";
import { isLocal } from "../../ui/address";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask, Dialog } from "../../ui/dialog";
import { bound, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Once } from "../../ui/once";
import { Opener } from "../../ui/opener";
import { Empty, Facts } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";
import { number } from "../../units";

type Created = Schemas["CreatedBox"];

const words = inLanguages({
  en: {
    lead: "The server aboard keeps everything, and tells this one over whatever link there is, for weeks if need be.",
    add: "Add a boat",
    none: "No boats yet",
    noneHint:
      "Add one, put the lines into the configuration of the server aboard, and what it keeps comes here.",
    name: "Name",
    address: "Address by which the boat reaches this server",
    made: "Set the boat up",
    setup: "Lines for fairlead.toml aboard",
    scan: "The same lines to scan",
    token: "Token",
    once: "This is shown once. Whoever has it can send in the name of this boat.",
    states: { new: "not heard yet", linked: "linked", silent: "silent" },
    contact: "Last heard",
    backlog: "Yet to send",
    rows: (count: string) => `${count} rows`,
    today: "Sent today",
    clock: "Its clock",
    exact: "right",
    ahead: (seconds: string) => `${seconds} s ahead`,
    behind: (seconds: string) => `${seconds} s behind`,
    version: "Fairlead",
    lost: "Given up before they were sent",
    refusedRows: "Refused here",
    handed: "Zones and rules",
    held: (version: number) => `version ${version}`,
    unheld: (assigned: number, applied: number | null) =>
      applied === null
        ? `version ${assigned}, not there yet`
        : `version ${assigned}, it still has ${applied}`,
    refused: "It doesn't take the zones and rules",
    beginning: "Token begins with",
    devices: "Devices",
    rename: "Rename",
    renew: "New token",
    renewText: "The token that it has now ends at once. The boat sends again when it has the new one.",
    resync: "Send everything again",
    resyncText:
      "The boat sends all that it keeps once more, over whatever link it has. Rows that are missing or wrong here are put right; nothing comes twice.",
    remove: "Delete this boat",
    removeText:
      "Its token ends at once. What it has sent stays, and is changed here from then on. A boat that is added anew can't take it back.",
  },
  de: {
    lead: "Der Server an Bord behält alles und erzählt es diesem über jede Verbindung, die es gibt, wenn nötig nach Wochen.",
    add: "Boot hinzufügen",
    none: "Noch keine Boote",
    noneHint:
      "Füge eines hinzu, trage die Zeilen in die Konfiguration des Servers an Bord ein, und was er behält, kommt hierher.",
    name: "Name",
    address: "Adresse, unter der das Boot diesen Server erreicht",
    made: "Das Boot einrichten",
    setup: "Zeilen für fairlead.toml an Bord",
    scan: "Dieselben Zeilen zum Scannen",
    token: "Token",
    once: "Das wird nur einmal gezeigt. Wer es hat, kann im Namen dieses Bootes senden.",
    states: { new: "noch nicht gehört", linked: "verbunden", silent: "still" },
    contact: "Zuletzt gehört",
    backlog: "Noch zu senden",
    rows: (count: string) => `${count} Zeilen`,
    today: "Heute gesendet",
    clock: "Seine Uhr",
    exact: "richtig",
    ahead: (seconds: string) => `${seconds} s voraus`,
    behind: (seconds: string) => `${seconds} s zurück`,
    version: "Fairlead",
    lost: "Vor dem Senden aufgegeben",
    refusedRows: "Hier abgelehnt",
    handed: "Zonen und Regeln",
    held: (version: number) => `Version ${version}`,
    unheld: (assigned: number, applied: number | null) =>
      applied === null
        ? `Version ${assigned}, noch nicht dort`
        : `Version ${assigned}, es hat noch ${applied}`,
    refused: "Es nimmt die Zonen und Regeln nicht an",
    beginning: "Token beginnt mit",
    devices: "Geräte",
    rename: "Umbenennen",
    renew: "Neues Token",
    renewText: "Das bisherige Token gilt sofort nicht mehr. Das Boot sendet wieder, wenn es das neue hat.",
    resync: "Alles noch einmal senden",
    resyncText:
      "Das Boot sendet alles, was es behält, noch einmal, über jede Verbindung, die es hat. Was hier fehlt oder falsch ist, wird berichtigt; nichts kommt doppelt.",
    remove: "Dieses Boot löschen",
    removeText:
      "Sein Token gilt sofort nicht mehr. Was es gesendet hat, bleibt und wird von da an hier geändert. Ein neu hinzugefügtes Boot kann es nicht zurücknehmen.",
  },
});

/** Milliseconds between two readings while the list is shown. */
const REFRESH = 30_000;

/** The boats that send to this server. */
export function Boxes(): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const made = useSignal<Created | null>(null);
  const loaded = useLoaded(readBoxes, [], () => REFRESH);
  const show = (created: Created) => {
    made.value = created;
    isOpen.value = false;
    void loaded.reload();
  };
  return (
    <>
      <p class="soft">{t.lead}</p>
      <Opener label={t.add} isOpen={isOpen}>
        <NewBox
          onMade={show}
          onCancel={() => {
            isOpen.value = false;
          }}
        />
      </Opener>
      <Show of={loaded}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon="water" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            found.map((box) => <Known key={box.id} box={box} onChanged={loaded.reload} onRenewed={show} />)
          )
        }
      </Show>
      <Once of={made} title={t.made}>
        {({ token, setup, qr_code }) => (
          <>
            <img class="qr" src={qr_code} alt={t.scan} width={260} height={260} />
            <Copyable label={t.setup} text={setup} />
            <Copyable label={t.token} text={token} />
            <p class="notice warn">{t.once}</p>
          </>
        )}
      </Once>
    </>
  );
}

/** The address of the page, which a boat reaches as a rule; empty for one that leads each machine to itself. */
const HERE = isLocal ? "" : BASE.replace(/\/$/, "");

function NewBox({
  onMade,
  onCancel,
}: {
  onMade: (created: Created) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const [name, address] = [useSignal(""), useSignal(HERE)];
  const make = async () => {
    const body = { name: name.value.trim(), base_url: address.value.trim() || null };
    onMade((await call(() => api.POST("/v1/sync/boxes", { body }))).data);
  };
  return (
    <section class="card">
      <Form action={t.add} onSubmit={make} onCancel={onCancel}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
        <TextField label={t.address} type="url" required {...bound(address)} />
      </Form>
    </section>
  );
}

/** A box that has nothing to send calls each 15 minutes; after this it has missed more than one. */
const SILENT_AFTER = 40 * 60_000;

type State = "new" | "linked" | "silent";

const stateOf = ({ last_contact_at }: Box, time: number): State =>
  last_contact_at === null ? "new" : time - Date.parse(last_contact_at) > SILENT_AFTER ? "silent" : "linked";

const TAGS: Record<State, string> = { new: "tag", linked: "tag good", silent: "tag warning" };

/** A clock that is off by less is right: the way takes as long. */
const RIGHT_MS = 2_000;

function clockText(offset: number | null): string | null {
  const t = words();
  if (offset === null) return null;
  if (Math.abs(offset) < RIGHT_MS) return t.exact;
  const seconds = number(Math.abs(offset) / 1_000);
  return offset > 0 ? t.ahead(seconds) : t.behind(seconds);
}

function Known({
  box,
  onChanged,
  onRenewed,
}: {
  box: Box;
  onChanged: () => Promise<void>;
  onRenewed: (created: Created) => void;
}): JSX.Element {
  const t = words();
  const [isRenaming, isRenewing] = [useSignal(false), useSignal(false)];
  const params = { path: { id: box.id } };
  const state = stateOf(box, present.value);
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/sync/boxes/{id}", { params }));
        await onChanged();
      },
    });
  const resync = () =>
    ask({
      title: t.resync,
      text: t.resyncText,
      action: t.resync,
      perform: async () => {
        await call(() => api.POST("/v1/sync/boxes/{id}/resync", { params }));
        await onChanged();
      },
    });
  return (
    <section class="card" aria-label={box.name}>
      <header class="split">
        <h2>{box.name}</h2>
        <span class={TAGS[state]}>{t.states[state]}</span>
      </header>
      {box.error !== null && (
        <p class="notice bad">
          {t.refused}: {box.error}
        </p>
      )}
      <Facts
        of={[
          [t.contact, box.last_contact_at === null ? null : <Ago key="contact" at={box.last_contact_at} />],
          [t.backlog, box.backlog_estimate === null ? null : t.rows(number(box.backlog_estimate))],
          [t.lost, box.skipped_rows > 0 ? t.rows(number(box.skipped_rows)) : null],
          [t.refusedRows, box.refused_rows > 0 ? t.rows(number(box.refused_rows)) : null],
          [t.today, state === "new" ? null : `${number(box.bytes_today / 1_000_000, 2)} MB`],
          [t.clock, clockText(box.clock_offset_ms)],
          [t.version, box.version],
          [t.handed, handedText(box)],
          [t.devices, devicesOf(box)],
          [t.beginning, <code key="prefix">{box.token_prefix}</code>],
        ]}
      />
      <footer class="actions">
        <Button
          onClick={() => {
            isRenaming.value = true;
          }}
        >
          {t.rename}
        </Button>
        <Button
          onClick={() => {
            isRenewing.value = true;
          }}
        >
          {t.renew}
        </Button>
        <Button onClick={resync}>{t.resync}</Button>
        <Button icon="trash" label={`${t.remove}: ${box.name}`} onClick={remove} />
      </footer>
      {isRenaming.value && (
        <Rename
          box={box}
          onDone={async () => {
            isRenaming.value = false;
            await onChanged();
          }}
        />
      )}
      {isRenewing.value && (
        <Renew
          box={box}
          onDone={(created) => {
            isRenewing.value = false;
            if (created) onRenewed(created);
          }}
        />
      )}
    </section>
  );
}

function handedText({ assigned_version, applied_version }: Box): string | null {
  const t = words();
  if (assigned_version === 0) return null;
  return assigned_version === applied_version
    ? t.held(assigned_version)
    : t.unheld(assigned_version, applied_version);
}

function devicesOf({ id }: Box): JSX.Element | null {
  const own = [...fleet.value.values()]
    .map(({ device }) => device.value)
    .filter(({ box_id }) => box_id === id);
  if (own.length === 0) return null;
  return (
    <>
      {own.map((device, at) => (
        <>
          {at > 0 && ", "}
          <a key={device.id} href={to(["devices", device.id])}>
            {device.name}
          </a>
        </>
      ))}
    </>
  );
}

function Rename({ box, onDone }: { box: Box; onDone: () => void }): JSX.Element {
  const t = words();
  const name = useSignal(box.name);
  const save = async () => {
    const params = { path: { id: box.id } };
    await call(() => api.PATCH("/v1/sync/boxes/{id}", { params, body: { name: name.value.trim() } }));
    onDone();
  };
  return (
    <Dialog title={t.rename} onClose={onDone}>
      <Form action={common().save} onSubmit={save} onCancel={onDone}>
        <TextField label={t.name} required maxLength={200} {...bound(name)} />
      </Form>
    </Dialog>
  );
}

function Renew({ box, onDone }: { box: Box; onDone: (created: Created | null) => void }): JSX.Element {
  const t = words();
  const address = useSignal(HERE);
  const renew = async () => {
    const body = { base_url: address.value.trim() || null };
    const params = { path: { id: box.id } };
    onDone((await call(() => api.POST("/v1/sync/boxes/{id}/rotate-token", { params, body }))).data);
  };
  return (
    <Dialog title={t.renew} onClose={() => onDone(null)}>
      <p>{t.renewText}</p>
      <Form kind="danger" action={t.renew} onSubmit={renew} onCancel={() => onDone(null)}>
        <TextField label={t.address} type="url" required {...bound(address)} />
      </Form>
    </Dialog>
  );
}
