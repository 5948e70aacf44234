import { computed, effect, signal } from "@preact/signals";
import { api, call, type Schemas } from "./api";
import { all, isGone } from "./fleet";
import { Heard } from "./heard";
import { hear } from "./live";
import { may, session } from "./session";

/** The alerts that are open and that nobody has acknowledged. */

export type Alert = Schemas["Alert"];

const open = signal<ReadonlyMap<string, Alert>>(new Map());

/** `failed`: the last attempt brought nothing, and another follows. */
export const alertsState = signal<"first" | "known" | "failed">("first");

/** Grows with each change of an alert that was heard: lists of alerts are read anew. */
export const alertChanges = signal(0);

const SEVERITIES: readonly Alert["severity"][] = ["alarm", "warning", "info"];

/** The worst first, and among equals the newest. */
export const openAlerts = computed<readonly Alert[]>(() =>
  [...open.value.values()].sort(
    (one, other) =>
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
      Date.parse(other.raised_at) - Date.parse(one.raised_at),
  ),
);

/** Milliseconds until it is tried again. */
const PAUSE = 5_000;
const PAGE = 100;

const heard = new Heard<Alert>(({ id }) => id);

async function read(): Promise<void> {
  try {
    const newest = await heard.read(() =>
      all((page) =>
        call(() => api.GET("/v1/alerts", { params: { query: { status: "open", page, limit: PAGE } } })),
      ),
    );
    if (newest === null) return;
    open.value = new Map([...newest].filter(([, alert]) => isOpen(alert)));
    alertsState.value = "known";
    alertChanges.value++;
  } catch {
    alertsState.value = "failed";
  }
}

const isOpen = ({ status }: Alert): boolean => status === "open";

/** Takes note of an alert as it is now, as the channel tells it or an answer. */
export function noteAlert(alert: Alert): void {
  heard.note(alert.id, alert);
  const left = new Map(open.peek());
  if (isOpen(alert)) left.set(alert.id, alert);
  else left.delete(alert.id);
  open.value = left;
  alertChanges.value++;
}

function forget(id: string): void {
  heard.note(id, null);
  const left = new Map(open.peek());
  left.delete(id);
  open.value = left;
  alertChanges.value++;
}

/** Acknowledges an alert, with a note for the others. Throws an ApiError. */
export async function acknowledge(id: string, note: string): Promise<void> {
  const { data } = await call(() =>
    api.POST("/v1/alerts/{id}/acknowledge", {
      params: { path: { id } },
      body: { note: note.trim() || null },
    }),
  );
  noteAlert(data);
}

/** Begins to follow the alerts. */
export function followAlerts(): void {
  effect(() => {
    if (session.value !== "open" || !may("alerts:read")) {
      // They stay on the page of whoever has to sign in again, and leave that of whoever may not see them any more.
      if (session.value === "open") open.value = new Map();
      return;
    }
    void read();
    const reread = () => void read();
    return hear("alerts", {
      ...{ onStart: reread, onReset: reread },
      onChange: ({ data }) => (isGone(data) ? forget(data.id) : noteAlert(data)),
    });
  });
  effect(() => {
    if (alertsState.value !== "failed" || session.value !== "open") return;
    const timer = setInterval(read, PAUSE);
    return () => clearInterval(timer);
  });
}
