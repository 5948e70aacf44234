import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { OwnedNote } from "../../boxes";
import { locale } from "../../language";
import { go, route, to } from "../../route";
import { may } from "../../session";
import { exact } from "../../times";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Downloads } from "../../ui/downloads";
import { bound, Form, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Opener } from "../../ui/opener";
import { Pages } from "../../ui/pages";
import { Empty, Panel } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { bearing, distance, number, place, speed } from "../../units";
import { NewEntry } from "./NewEntry";
import { logWords } from "./words";

type Entry = Schemas["LogEntry"];

/** The log of a trip: entries that stay as they were written. */
export function Log({ id }: { id: string }): JSX.Element {
  const t = logWords();
  const path = { id };
  const page = Number(route.value.query.get("page") ?? 1);
  const isWriting = useSignal(false);
  const struck = useSignal<Entry | null>(null);
  const log = useLoaded(async () => {
    const found = await call(() =>
      api.GET("/v1/trips/{id}/log", {
        params: { path, query: { page, limit: 20 } },
        headers: { accept: "application/json" },
      }),
    );
    return found as Schemas["LogPage"];
  }, [id, page]);
  const trip = useLoaded(
    async () => (await call(() => api.GET("/v1/trips/{id}", { params: { path } }))).data,
    [id],
  );
  const verify = async () => {
    const { is_intact, entries } = await call(() =>
      api.GET("/v1/trips/{id}/log/verify", { params: { path } }),
    );
    say(is_intact ? t.intact(entries) : t.broken);
  };
  const boxId = trip.data?.box_id ?? null;
  const mayWrite = may("trips:write") && trip.data !== null && boxId === null;
  return (
    <Panel title={t.title} back={to(["trips", id])}>
      <OwnedNote boxId={boxId} />
      {mayWrite && (
        <Opener label={t.add} isOpen={isWriting}>
          <NewEntry
            tripId={id}
            onDone={() => {
              isWriting.value = false;
              void log.reload();
            }}
            onCancel={() => {
              isWriting.value = false;
            }}
          />
        </Opener>
      )}
      <Show of={log}>
        {({ data, pagination, strikes }) =>
          data.length === 0 ? (
            <Empty icon="edit" title={t.none}>
              <p>{t.noneHint}</p>
            </Empty>
          ) : (
            <>
              <ol class="rows">
                {data.map((entry) => (
                  <Written
                    key={entry.id}
                    entry={entry}
                    reason={strikes.find(({ entry_id }) => entry_id === entry.id)?.reason ?? null}
                    onStrike={
                      mayWrite && entry.kind !== "strike"
                        ? () => {
                            struck.value = entry;
                          }
                        : null
                    }
                  />
                ))}
              </ol>
              <Pages
                pagination={pagination}
                onPage={(next) => go(["trips", id, "log"], { page: String(next) })}
              />
              <div class="actions left">
                <Button icon="check" onClick={verify}>
                  {t.verify}
                </Button>
              </div>
              <Downloads
                label={t.take}
                formats={["pdf", "csv", "json"]}
                pathOf={(format) => `/v1/trips/${id}/log?format=${format}&locale=${locale.value}`}
              />
            </>
          )
        }
      </Show>
      {struck.value && (
        <Strike
          entry={struck.value}
          onClose={() => {
            struck.value = null;
            void log.reload();
          }}
        />
      )}
    </Panel>
  );
}

/** The figures of an entry, in words; those that the page doesn't know are left to the files. */
function figuresOf({ kind, data }: Entry): string[] {
  const t = logWords();
  const given = (data ?? {}) as Record<string, unknown>;
  const numberOf = (name: string): number | null => {
    const value = given[name];
    return typeof value === "number" ? value : null;
  };
  const shown: string[] = [];
  const show = (name: string, write: (value: number) => string) => {
    const value = numberOf(name);
    if (value !== null) shown.push(write(value));
  };
  if (kind === "position") {
    const [latitude, longitude] = [numberOf("latitude"), numberOf("longitude")];
    if (latitude !== null && longitude !== null) shown.push(place(latitude, longitude));
    show("heading", (value) => `${t.course} ${bearing(value)}`);
    show("speed_kmh", speed);
    show("distance_km", (value) => `${distance(value)} ${t.sinceLast}`);
    show("total_distance_km", (value) => `${distance(value)} ${t.inAll}`);
  }
  show("wind_bft", (value) => `${number(value)} Bft`);
  show("barometer_hpa", (value) => `${number(value)} hPa`);
  show("engine_hours", (value) => `${number(value, 1)} h`);
  return shown;
}

function Written({
  entry,
  reason,
  onStrike,
}: {
  entry: Entry;
  reason: string | null;
  onStrike: (() => void) | null;
}): JSX.Element {
  const t = logWords();
  const content = [entry.text, ...figuresOf(entry)].filter(Boolean).join(" · ");
  return (
    <li class="row entry">
      <span class="row-main">
        <span class="hint">
          {exact(Date.parse(entry.occurred_at))} · {t.kinds[entry.kind]}
          {entry.is_automatic && ` · ${t.automatic}`}
        </span>
        {reason === null ? <span>{content}</span> : <s>{content}</s>}
        {reason !== null && <span class="hint">{t.struck(reason)}</span>}
      </span>
      {onStrike && reason === null && (
        <Button kind="quiet" icon="close" label={`${t.strike}: ${content}`} onClick={onStrike} />
      )}
    </li>
  );
}

function Strike({ entry, onClose }: { entry: Entry; onClose: () => void }): JSX.Element {
  const t = logWords();
  const reason = useSignal("");
  const strike = async () => {
    await call(() =>
      api.POST("/v1/trips/{id}/log/{entry_id}/strike", {
        params: { path: { id: entry.trip_id, entry_id: entry.id } },
        body: { reason: reason.value.trim() },
      }),
    );
    onClose();
  };
  return (
    <Dialog title={t.strike} onClose={onClose}>
      <p>{t.strikeLead}</p>
      <Form kind="danger" action={t.strike} onSubmit={strike} onCancel={onClose}>
        <TextField label={t.reason} required maxLength={10_000} {...bound(reason)} />
      </Form>
    </Dialog>
  );
}
