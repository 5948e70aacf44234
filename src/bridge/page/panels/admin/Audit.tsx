import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { go, route } from "../../route";
import { may } from "../../session";
import { exact } from "../../times";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { AreaField, bound, Form, picked, SelectField, TextField } from "../../ui/form";
import { Show, useLoaded } from "../../ui/loaded";
import { Pages } from "../../ui/pages";
import { Empty, Facts, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { common } from "../../ui/words";

type Event = Schemas["AuditEvent"];
type Report = Schemas["AuditReport"];

const words = inLanguages({
  en: {
    filter: "Show",
    user: "User",
    type: "Kind of event",
    status: "Outcome",
    statuses: { all: "any", success: "success", failure: "failure" },
    from: "From",
    to: "To",
    none: "Nothing is like that",
    failure: "failed",
    who: "By",
    about: "About",
    address: "Address",
    where: "Where",
    browser: "Browser",
    what: "What",
    at: "When",
    reports: "Reports of users",
    noReports: "Nobody has reported anything.",
    reasons: {
      not_me: "It wasn't me",
      suspicious: "Suspicious",
      unknown_device: "Unknown device",
      unknown_location: "Unknown place",
      other: "Something else",
    } satisfies Record<Report["reason"], string>,
    states: { pending: "open", reviewed: "looked at", resolved: "resolved", dismissed: "dismissed" },
    answer: "Answer",
    notes: "What was done",
    state: "State",
    details: "Details",
  },
  de: {
    filter: "Zeigen",
    user: "Benutzer",
    type: "Art des Ereignisses",
    status: "Ausgang",
    statuses: { all: "beliebig", success: "gelungen", failure: "misslungen" },
    from: "Von",
    to: "Bis",
    none: "So ist nichts",
    failure: "misslungen",
    who: "Durch",
    about: "Über",
    address: "Adresse",
    where: "Wo",
    browser: "Browser",
    what: "Was",
    at: "Wann",
    reports: "Meldungen von Benutzern",
    noReports: "Niemand hat etwas gemeldet.",
    reasons: {
      not_me: "Das war ich nicht",
      suspicious: "Verdächtig",
      unknown_device: "Unbekanntes Gerät",
      unknown_location: "Unbekannter Ort",
      other: "Etwas anderes",
    } satisfies Record<Report["reason"], string>,
    states: { pending: "offen", reviewed: "angesehen", resolved: "erledigt", dismissed: "abgewiesen" },
    answer: "Antworten",
    notes: "Was getan wurde",
    state: "Stand",
    details: "Einzelheiten",
  },
});

/** The audit log with its filters, and what users have reported of it. */
export function Audit(): JSX.Element {
  return (
    <>
      <Events />
      <Reports />
    </>
  );
}

const STATUSES = ["all", "success", "failure"] as const;

function Events(): JSX.Element {
  const t = words();
  const { query } = route.value;
  const given = (name: string) => query.get(name) ?? "";
  const status = STATUSES.find((each) => each === given("status")) ?? "all";
  const page = Number(query.get("page") ?? 1);
  const opened = useSignal<Event | null>(null);
  const [user, type, from, to] = [given("user"), given("type"), given("from"), given("to")];
  const loaded = useLoaded(
    () =>
      call(() =>
        api.GET("/v1/admin/audit", {
          params: {
            query: {
              page,
              limit: 25,
              ...(user && { user_search: user }),
              ...(type && { event_type: type }),
              ...(status !== "all" && { status }),
              ...(from && { start_date: new Date(from).toISOString() }),
              ...(to && { end_date: new Date(to).toISOString() }),
            },
          },
        }),
      ),
    [page, user, type, status, from, to],
  );
  const set = (change: Record<string, string>) =>
    go(["admin", "audit"], { user, type, from, to, status, ...change }, true);
  return (
    <>
      <fieldset>
        <legend>{t.filter}</legend>
        <div class="pair">
          <TextField label={t.user} type="search" value={user} onInput={(value) => set({ user: value })} />
          <TextField
            label={t.type}
            type="search"
            placeholder="login_failed"
            value={type}
            onInput={(value) => set({ type: value.trim().toLowerCase() })}
          />
          <SelectField
            label={t.status}
            value={status}
            options={STATUSES.map((each) => [each, t.statuses[each]] as const)}
            onChange={(value) => set({ status: value })}
          />
          <TextField
            label={t.from}
            type="datetime-local"
            value={from}
            onInput={(value) => set({ from: value })}
          />
          <TextField label={t.to} type="datetime-local" value={to} onInput={(value) => set({ to: value })} />
        </div>
      </fieldset>
      <Show of={loaded}>
        {({ events, page: shown, total_pages }) => (
          <>
            {events.length === 0 ? (
              <Empty icon="search" title={t.none} />
            ) : (
              <ul class="rows">
                {events.map((event) => (
                  <li key={event.id}>
                    <button
                      type="button"
                      class="row"
                      onClick={() => {
                        opened.value = event;
                      }}
                    >
                      <span class="row-main">
                        <span class="row-title">{event.description ?? event.event_type}</span>
                        <span class="hint">
                          {[event.description && event.event_type, event.ip_address ?? event.source_service]
                            .filter(Boolean)
                            .join(" · ")}
                        </span>
                      </span>
                      {event.status === "failure" && <span class="tag warning">{t.failure}</span>}
                      <span class="row-end small">
                        <Ago at={event.created_at} />
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )}
            <Pages pagination={{ page: shown, total_pages }} onPage={(next) => set({ page: String(next) })} />
          </>
        )}
      </Show>
      {opened.value && (
        <Details
          event={opened.value}
          onClose={() => {
            opened.value = null;
          }}
        />
      )}
    </>
  );
}

function Details({ event, onClose }: { event: Event; onClose: () => void }): JSX.Element {
  const t = words();
  const place = [event.city, event.region, event.country_name].filter(Boolean).join(", ");
  return (
    <Dialog title={event.description ?? event.event_type} onClose={onClose}>
      <Facts
        of={[
          [t.what, event.event_type],
          [t.at, exact(Date.parse(event.created_at))],
          [t.who, event.actor_id],
          [t.about, event.resource_type && `${event.resource_type} ${event.resource_id ?? ""}`],
          [t.address, event.ip_address],
          [t.where, place || null],
          [t.browser, event.user_agent],
          [t.failure, event.error_message],
        ]}
      />
      {event.metadata && <pre class="command">{JSON.stringify(event.metadata, null, 2)}</pre>}
    </Dialog>
  );
}

function Reports(): JSX.Element {
  const t = words();
  const answered = useSignal<Report | null>(null);
  const loaded = useLoaded(
    () => call(() => api.GET("/v1/admin/audit/reports", { params: { query: { limit: 50 } } })),
    [],
  );
  return (
    <Section title={t.reports}>
      <Show of={loaded}>
        {(reports) =>
          reports.length === 0 ? (
            <p class="soft">{t.noReports}</p>
          ) : (
            <ul class="rows">
              {reports.map((report) => (
                <li key={report.id} class="row">
                  <span class="row-main">
                    <span class="row-title">{t.reasons[report.reason]}</span>
                    <span class="hint">
                      {report.description} {t.states[report.status]} · <Ago at={report.created_at} />
                    </span>
                  </span>
                  {may("audit:write") && (
                    <Button
                      onClick={() => {
                        answered.value = report;
                      }}
                    >
                      {t.answer}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Show>
      {answered.value && (
        <Answer
          report={answered.value}
          onClose={() => {
            answered.value = null;
            void loaded.reload();
          }}
        />
      )}
    </Section>
  );
}

const STATES: readonly Report["status"][] = ["pending", "reviewed", "resolved", "dismissed"];

function Answer({ report, onClose }: { report: Report; onClose: () => void }): JSX.Element {
  const t = words();
  const status = useSignal(report.status);
  const notes = useSignal(report.resolution_notes ?? "");
  const save = async () => {
    await call(() =>
      api.PATCH("/v1/admin/audit/reports/{report_id}", {
        params: { path: { report_id: report.id } },
        body: { status: status.value, resolution_notes: notes.value.trim() || null },
      }),
    );
    onClose();
  };
  return (
    <Dialog title={t.answer} onClose={onClose}>
      <Form action={common().save} onSubmit={save} onCancel={onClose}>
        <SelectField
          label={t.state}
          {...picked(status)}
          options={STATES.map((each) => [each, t.states[each]] as const)}
        />
        <AreaField label={t.notes} maxLength={10_000} {...bound(notes)} />
      </Form>
    </Dialog>
  );
}
