import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api, call, messageOf, type Schemas } from "../../../api";
import { go, to } from "../../../route";
import { duration, exact } from "../../../times";
import { Button } from "../../../ui/button";
import { ask } from "../../../ui/dialog";
import { Show, useLoaded } from "../../../ui/loaded";
import { Pages } from "../../../ui/pages";
import { Facts, Panel, Section } from "../../../ui/panel";
import { common } from "../../../ui/words";
import { number } from "../../../units";
import { Deliveries, useProgress } from "../Deliveries";
import { scheduleText } from "../ScheduleField";
import { Secret } from "./Secret";
import { leadsTo, type Target, TargetState } from "./TargetList";
import { words } from "./words";

/** One target: where it leads, if it works, and what was sent there. */
export function TargetPage({ id }: { id: string }): JSX.Element {
  const t = words();
  const path = { id };
  const target = useLoaded(
    async () => (await call(() => api.GET("/v1/notification-targets/{id}", { params: { path } }))).data,
    [id],
  );
  const page = useSignal(1);
  const sent = useLoaded(
    () =>
      call(() =>
        api.GET("/v1/notification-targets/{id}/deliveries", {
          params: { path, query: { page: page.value } },
        }),
      ),
    [id, page.value],
  );
  useProgress(sent.data?.data, sent.reload);
  const secret = useSignal<string | null>(null);
  if (secret.value !== null)
    return (
      <Secret
        secret={secret.value}
        onDone={() => {
          secret.value = null;
          void target.reload();
        }}
      />
    );
  return (
    <Panel title={target.data?.name ?? t.title} back={to(["alerts", "targets"])}>
      <Show of={target}>
        {(shown) => (
          <Shown
            target={shown}
            onTested={sent.reload}
            onSecret={(made) => {
              secret.value = made;
            }}
          />
        )}
      </Show>
      <Section title={t.deliveries}>
        <Show of={sent}>
          {({ data, pagination }) => (
            <>
              <Deliveries of={data} names="alert" onChanged={sent.reload} />
              <Pages
                pagination={pagination}
                onPage={(to) => {
                  page.value = to;
                }}
              />
            </>
          )}
        </Show>
      </Section>
    </Panel>
  );
}

function Shown({
  target,
  onTested,
  onSecret,
}: {
  target: Target;
  onTested: () => Promise<void>;
  onSecret: (secret: string) => void;
}): JSX.Element {
  const t = words();
  const path = { id: target.id };
  const remove = () =>
    ask({
      title: t.remove,
      text: t.removeText,
      action: common().remove,
      perform: async () => {
        await call(() => api.DELETE("/v1/notification-targets/{id}", { params: { path } }));
        go(["alerts", "targets"], {}, true);
      },
    });
  const rotate = () =>
    ask({
      title: t.rotate,
      text: t.rotateText,
      action: t.rotate,
      perform: async () => {
        const { data } = await call(() =>
          api.POST("/v1/notification-targets/{id}/rotate-secret", { params: { path } }),
        );
        onSecret(data.secret ?? "");
      },
    });
  return (
    <>
      {target.is_silent && <p class="notice warn">{t.silentText}</p>}
      <div class="split">
        <p>
          {t.kinds[target.kind]} <TargetState of={target} />
        </p>
        <a class="button" href={to(["alerts", "targets", target.id, "edit"])}>
          {t.change}
        </a>
      </div>
      <Facts
        of={[
          [t.leads, leadsTo(target)],
          [t.locale, t.locales[target.locale]],
          [t.quiet, target.quiet && scheduleText(target.quiet)],
          [t.former, target.former_secret_until && exact(Date.parse(target.former_secret_until))],
        ]}
      />
      <Test target={target} onTested={onTested} />
      <div class="actions left">
        {target.kind === "webhook" && (
          <Button icon="key" onClick={rotate}>
            {t.rotate}
          </Button>
        )}
        <Button icon="trash" kind="danger" onClick={remove}>
          {t.remove}
        </Button>
      </div>
    </>
  );
}

/** Sends a test, and says in words what became of it. */
function Test({
  target: { id, kind },
  onTested,
}: {
  target: Target;
  onTested: () => Promise<void>;
}): JSX.Element {
  const t = words();
  const outcome = useSignal<{ isGood: boolean; text: string; note: string | null } | null>(null);
  const test = async () => {
    outcome.value = null;
    try {
      const result = await call(() =>
        api.POST("/v1/notification-targets/{id}/test", { params: { path: { id } } }),
      );
      const { status, response_status, note } = result;
      const reason = response_status === null ? undefined : t.reasons[kind]?.[response_status];
      outcome.value = { isGood: status === "delivered", text: testText(result), note: reason ?? note };
    } catch (error) {
      outcome.value = { isGood: false, text: messageOf(error), note: null };
    }
    await onTested();
  };
  return (
    <div class="test">
      <Button kind="main" icon="alerts" onClick={test}>
        {t.test}
      </Button>
      <div role="status">
        {outcome.value && (
          <div class={`notice ${outcome.value.isGood ? "" : "bad"}`}>
            <p>{outcome.value.text}</p>
            {outcome.value.note && <p class="small">{outcome.value.note}</p>}
          </div>
        )}
      </div>
    </div>
  );
}

function testText({ status, duration_ms, error, response_status }: Schemas["NotificationTest"]): string {
  const t = words().testing;
  const took = duration_ms < 10_000 ? `${number(duration_ms)} ms` : duration(duration_ms / 1_000);
  if (status === "delivered") return t.delivered(took);
  return t.failed(error ?? (response_status === null ? t.unknown : t.answered(response_status)));
}
