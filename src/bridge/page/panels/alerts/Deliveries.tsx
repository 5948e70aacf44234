import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api, call, messageOf, type Schemas } from "../../api";
import { inLanguages } from "../../language";
import { to } from "../../route";
import { may } from "../../session";
import { Button } from "../../ui/button";
import { Ago } from "../../ui/time";

const texts = inLanguages({
  en: {
    none: "Nobody was told.",
    deleted: "A target that is deleted",
    type: {
      "alert.raised": "raised",
      "alert.acknowledged": "acknowledged",
      "alert.cleared": "over",
      "alert.test": "test",
      "audit.head": "head of the audit log",
    },
    status: {
      waiting: "Waiting",
      delivered: "Arrived",
      failed: "Failed",
      superseded: "Not needed any more",
      cancelled: "Given up",
    },
    attempts: (count: number) => (count === 1 ? "one attempt" : `${count} attempts`),
    next: "next attempt",
    answer: (status: number) => `answer ${status}`,
    took: (ms: number) => `${ms} ms`,
    alert: "Alert",
    retry: "Try again now",
  },
  de: {
    none: "Niemand wurde benachrichtigt.",
    deleted: "Ein gelöschter Empfänger",
    type: {
      "alert.raised": "ausgelöst",
      "alert.acknowledged": "bestätigt",
      "alert.cleared": "vorbei",
      "alert.test": "Test",
      "audit.head": "Kopf des Audit-Logs",
    },
    status: {
      waiting: "Wartet",
      delivered: "Angekommen",
      failed: "Gescheitert",
      superseded: "Nicht mehr nötig",
      cancelled: "Aufgegeben",
    },
    attempts: (count: number) => (count === 1 ? "ein Versuch" : `${count} Versuche`),
    next: "nächster Versuch",
    answer: (status: number) => `Antwort ${status}`,
    took: (ms: number) => `${ms} ms`,
    alert: "Alarm",
    retry: "Jetzt noch einmal",
  },
});

type Delivery = Schemas["Delivery"];

/** Everything that was sent, and what became of it; each begins with its target or with its alert. */
export function Deliveries({
  of,
  names,
  onChanged,
}: {
  of: readonly Delivery[];
  names: "target" | "alert";
  onChanged: () => Promise<void>;
}): JSX.Element {
  if (of.length === 0) return <p class="soft">{texts().none}</p>;
  return (
    <ul class="rows">
      {of.map((delivery) => (
        <Row key={delivery.id} delivery={delivery} names={names} onChanged={onChanged} />
      ))}
    </ul>
  );
}

/** Milliseconds after which deliveries that wait are read again: nobody is told of their ends. */
const PAUSE = 5_000;

/** Reads deliveries again as long as one of them waits and somebody looks. */
export function useProgress(of: readonly Delivery[] | undefined, reload: () => Promise<void>): void {
  useEffect(() => {
    if (!of?.some(({ status }) => status === "waiting")) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, PAUSE);
    return () => clearInterval(timer);
  }, [of, reload]);
}

/** The end of a delivery, by a word and a form. */
export function DeliveryState({ of }: { of: Delivery["status"] }): JSX.Element {
  const kind = of === "delivered" ? "good" : of === "failed" ? "alarm" : "";
  return <span class={`tag ${kind}`}>{texts().status[of]}</span>;
}

function Row({
  delivery,
  names,
  onChanged,
}: {
  delivery: Delivery;
  names: "target" | "alert";
  onChanged: () => Promise<void>;
}): JSX.Element {
  const t = texts();
  const refusal = useSignal<string | null>(null);
  const { id, status, alert_id, error, next_attempt_at, note } = delivery;
  const retry = async () => {
    refusal.value = null;
    try {
      await call(() => api.POST("/v1/deliveries/{id}/retry", { params: { path: { id } } }));
    } catch (failed) {
      refusal.value = messageOf(failed);
    }
    await onChanged();
  };
  const facts = [
    t.type[delivery.type],
    delivery.attempts > 0 && t.attempts(delivery.attempts),
    delivery.response_status !== null && t.answer(delivery.response_status),
    delivery.duration_ms !== null && t.took(delivery.duration_ms),
  ];
  const name =
    names === "target"
      ? (delivery.target_name ?? t.deleted)
      : alert_id === null
        ? t.type[delivery.type]
        : t.alert;
  return (
    <li class="row delivery">
      <span class="row-main">
        <span class="row-title">
          {names === "alert" && alert_id !== null ? <a href={to(["alerts", alert_id])}>{name}</a> : name}
        </span>
        <span class="hint">
          {facts.filter(Boolean).join(" · ")} · <Ago at={delivery.last_attempt_at ?? delivery.created_at} />
          {next_attempt_at && (
            <>
              {" "}
              · {t.next} <Ago at={next_attempt_at} />
            </>
          )}
        </span>
        {(error ?? note) && <span class="small">{error ?? note}</span>}
        {refusal.value && (
          <span class="notice bad" role="alert">
            {refusal.value}
          </span>
        )}
      </span>
      <DeliveryState of={status} />
      {(status === "waiting" || status === "failed") && may("alerts:write") && (
        <Button onClick={retry}>{t.retry}</Button>
      )}
    </li>
  );
}
