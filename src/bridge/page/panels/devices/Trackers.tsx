import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { api, call, type Schemas } from "../../api";
import { fleet } from "../../fleet";
import { inLanguages } from "../../language";
import { route, to } from "../../route";
import { useAddress } from "../../ui/address";
import { Button } from "../../ui/button";
import { Copyable } from "../../ui/copy";
import { ask } from "../../ui/dialog";
import { bound, CheckField, Form, picked, SelectField, TextField, ticked } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Opener } from "../../ui/opener";
import { Empty, Facts, Panel, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";

type Format = Schemas["Tracker"]["format"];

const words = inLanguages({
  en: {
    title: "Apps and trackers",
    lead: "Each app gets a code of its own, which reports for this device alone and can be switched off by itself.",
    none: "Nothing reports for this device yet",
    noneHint: "Choose an app, scan the code with the phone, and its positions appear here.",
    connect: "Connect an app",
    app: "App",
    name: "Name",
    nameHint: "So that you recognise it, such as “Anna's phone”",
    zones: "Let the app know the zones",
    encryption: "Encrypt what the app sends",
    encryptionHint: "Worth it where the connection isn't https",
    make: "Show the code",
    scan: "Scan this code with the phone",
    once: "This is shown once. Whoever has it can report for this device.",
    open: "Open the app on this phone",
    steps: "Step by step",
    waiting: "Waiting for the first position…",
    arrived: "Its position has arrived.",
    toMap: "Show it on the map",
    address: "Address",
    token: "Token",
    key: "Key of the encryption",
    username: "Username",
    password: "Password",
    done: "Done",
    used: "Last heard",
    never: "not yet",
    off: "switched off",
    switchOff: "Switch off",
    switchOn: "Switch on",
    remove: "Remove this app",
    removeText: "It can't report for this device any more.",
    rejected: "Refused",
    reason: (total: number) => (total === 1 ? "one message" : `${total} messages`),
    formats: {
      owntracks: "OwnTracks",
      traccar_client: "Traccar Client",
      osmand: "OsmAnd",
      overland: "Overland",
      gpslogger: "GPSLogger",
      traccar_server: "A Traccar server",
      generic: "A program of your own",
    } satisfies Record<Format, string>,
  },
  de: {
    title: "Apps und Tracker",
    lead: "Jede App bekommt einen eigenen Code, der nur für dieses Gerät meldet und sich einzeln abschalten lässt.",
    none: "Noch meldet nichts für dieses Gerät",
    noneHint: "Wähle eine App, scanne den Code mit dem Telefon, und ihre Positionen erscheinen hier.",
    connect: "App verbinden",
    app: "App",
    name: "Name",
    nameHint: "Damit du sie wiedererkennst, etwa „Annas Telefon“",
    zones: "Die App die Zonen kennen lassen",
    encryption: "Verschlüsseln, was die App sendet",
    encryptionHint: "Lohnt sich, wo die Verbindung nicht https ist",
    make: "Code zeigen",
    scan: "Scanne diesen Code mit dem Telefon",
    once: "Das wird nur einmal gezeigt. Wer es hat, kann für dieses Gerät melden.",
    open: "Die App auf diesem Telefon öffnen",
    steps: "Schritt für Schritt",
    waiting: "Warten auf die erste Position …",
    arrived: "Seine Position ist angekommen.",
    toMap: "Auf der Karte zeigen",
    address: "Adresse",
    token: "Token",
    key: "Schlüssel der Verschlüsselung",
    username: "Benutzername",
    password: "Passwort",
    done: "Fertig",
    used: "Zuletzt gehört",
    never: "noch nicht",
    off: "abgeschaltet",
    switchOff: "Abschalten",
    switchOn: "Einschalten",
    remove: "Diese App entfernen",
    removeText: "Sie kann für dieses Gerät nichts mehr melden.",
    rejected: "Abgewiesen",
    reason: (total: number) => (total === 1 ? "eine Nachricht" : `${total} Nachrichten`),
    formats: {
      owntracks: "OwnTracks",
      traccar_client: "Traccar Client",
      osmand: "OsmAnd",
      overland: "Overland",
      gpslogger: "GPSLogger",
      traccar_server: "Ein Traccar-Server",
      generic: "Ein eigenes Programm",
    } satisfies Record<Format, string>,
  },
});

const FORMATS: readonly Format[] = [
  "owntracks",
  "traccar_client",
  "overland",
  "gpslogger",
  "osmand",
  "traccar_server",
  "generic",
];

/** The apps that report for a device, and the way to connect another. */
export function Trackers({ id }: { id: string }): JSX.Element {
  const t = words();
  const made = useSignal<Schemas["CreatedTracker"] | null>(null);
  const isOpen = useSignal(route.value.query.has("new"));
  const path = { id };
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/devices/{id}/trackers", { params: { path, query: { limit: 100 } } })),
    [id],
  );
  if (made.value)
    return (
      <Setup
        tracker={made.value}
        onDone={() => {
          made.value = null;
          isOpen.value = false;
          void loaded.reload();
        }}
      />
    );
  return (
    <Panel title={t.title} back={to(["devices", id])}>
      <p class="soft">{t.lead}</p>
      <Opener label={t.connect} isOpen={isOpen}>
        <Connect
          id={id}
          onMade={(tracker) => {
            made.value = tracker;
          }}
          onCancel={() => {
            isOpen.value = false;
          }}
        />
      </Opener>
      <Show of={loaded}>
        {({ data }) =>
          data.length === 0
            ? !isOpen.value && (
                <Empty icon="phone" title={t.none}>
                  <p>{t.noneHint}</p>
                </Empty>
              )
            : data.map((tracker) => <Known key={tracker.id} tracker={tracker} onChanged={loaded.reload} />)
        }
      </Show>
    </Panel>
  );
}

function Connect({
  id,
  onMade,
  onCancel,
}: {
  id: string;
  onMade: (tracker: Schemas["CreatedTracker"]) => void;
  onCancel: () => void;
}): JSX.Element {
  const t = words();
  const address = useAddress();
  const format = useSignal<Format>("owntracks");
  const name = useSignal("");
  const [zones, encryption] = [useSignal(false), useSignal(false)];
  const isOwnTracks = format.value === "owntracks";
  const make = async () => {
    const { data } = await call(() =>
      api.POST("/v1/devices/{id}/trackers", {
        params: { path: { id } },
        body: {
          name: name.value.trim() || t.formats[format.value],
          format: format.value,
          base_url: address.value,
          ...(isOwnTracks && { send_zones: zones.value, with_encryption: encryption.value }),
        },
      }),
    );
    onMade(data);
  };
  return (
    <section class="card">
      <Form action={t.make} onSubmit={make} onCancel={onCancel}>
        <SelectField
          label={t.app}
          {...picked(format)}
          options={FORMATS.map((each) => [each, t.formats[each]] as const)}
        />
        <TextField label={t.name} hint={t.nameHint} maxLength={200} {...bound(name)} />
        {address.field}
        {isOwnTracks && (
          <>
            <CheckField label={t.zones} {...ticked(zones)} />
            <CheckField label={t.encryption} hint={t.encryptionHint} {...ticked(encryption)} />
          </>
        )}
      </Form>
    </section>
  );
}

/** The code to scan, which is shown once, and what to do with it. */
function Setup({ tracker, onDone }: { tracker: Schemas["CreatedTracker"]; onDone: () => void }): JSX.Element {
  const t = words();
  return (
    <Panel title={t.formats[tracker.format]}>
      <h2>{t.scan}</h2>
      <img class="qr" src={tracker.qr_code} alt={t.scan} width={260} height={260} />
      {tracker.setup_link !== null && (
        <a class="button" href={tracker.setup_link}>
          {t.open}
        </a>
      )}
      {tracker.instructions.length > 0 && (
        <Section title={t.steps}>
          <ol class="steps">
            {tracker.instructions.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Section>
      )}
      <div class="card">
        <Copyable label={t.address} text={tracker.url} />
        {tracker.username !== null && <Copyable label={t.username} text={tracker.username} />}
        {tracker.password !== null && <Copyable label={t.password} text={tracker.password} />}
        {tracker.password === null && <Copyable label={t.token} text={tracker.token} />}
        {tracker.encryption_key !== null && <Copyable label={t.key} text={tracker.encryption_key} />}
        <p class="notice warn">{t.once}</p>
      </div>
      <Arrival id={tracker.device_id} />
      <Button onClick={onDone}>{t.done}</Button>
    </Panel>
  );
}

/** Waits for a position, and then leads to the map. */
function Arrival({ id }: { id: string }): JSX.Element {
  const t = words();
  const fix = fleet.value.get(id)?.fix.value ?? null;
  const before = useRef(fix);
  const hasArrived = fix !== before.current;
  return (
    <div class="notice" role="status">
      <p>{hasArrived ? t.arrived : t.waiting}</p>
      {hasArrived && (
        <a class="button main" href={to(["map", id])}>
          {t.toMap}
        </a>
      )}
    </div>
  );
}

function Known({
  tracker,
  onChanged,
}: {
  tracker: Schemas["Tracker"];
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const path = { id: tracker.device_id, tracker_id: tracker.id };
  const toggle = async () => {
    await call(() =>
      api.PATCH("/v1/devices/{id}/trackers/{tracker_id}", {
        params: { path },
        body: { is_active: !tracker.is_active },
      }),
    );
    await onChanged();
  };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/devices/{id}/trackers/{tracker_id}", { params: { path } }));
        await onChanged();
      },
    });
  return (
    <section class="card">
      <header class="split">
        <h2>{tracker.name}</h2>
        {!tracker.is_active && <span class="tag warning">{t.off}</span>}
      </header>
      <Facts
        of={[
          [t.app, t.formats[tracker.format]],
          [t.used, tracker.last_used_at === null ? t.never : <Ago key="used" at={tracker.last_used_at} />],
          [t.rejected, tracker.rejected_total > 0 ? t.reason(tracker.rejected_total) : null],
        ]}
      />
      <footer class="actions">
        <Button onClick={toggle}>{tracker.is_active ? t.switchOff : t.switchOn}</Button>
        <Button icon="trash" label={t.remove} onClick={remove} />
      </footer>
    </section>
  );
}
