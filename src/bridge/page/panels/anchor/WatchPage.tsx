import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { trySiren } from "../../alarms";
import { type AnchorWatch, readAnchorWatches } from "../../anchors";
import { api, call, messageOf, type Schemas } from "../../api";
import { isolated } from "../../direction";
import type { Craft } from "../../fleet";
import { useStage } from "../../map/current";
import { to } from "../../route";
import { may } from "../../session";
import { duration } from "../../times";
import { Button } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Facts, Panel, Section } from "../../ui/panel";
import { Ago } from "../../ui/time";
import { say } from "../../ui/toasts";
import { bearing, number } from "../../units";
import { Deliveries } from "../alerts/Deliveries";
import { comeNear } from "./drawing";
import { StateSign } from "./StateSign";
import { Swing } from "./Swing";
import { words } from "./words";

const metres = (value: number): string => `${number(value)} m`;

/** The watch over a boat as it is now. */
export function WatchPage({
  craft,
  watch,
  back,
  mayWrite,
  onEdit,
}: {
  craft: Craft;
  watch: AnchorWatch | null;
  back: string | undefined;
  mayWrite: boolean;
  onEdit: () => void;
}): JSX.Element {
  const t = words();
  const { id, name } = craft.device.value;
  const hasWatch = watch !== null;
  useStage((stage) => comeNear(stage, watch && { ...watch, boat: craft.fix.peek() }), [id, hasWatch]);
  return (
    <Panel title={`${t.title}: ${isolated(name)}`} {...(back !== undefined && { back })}>
      {watch ? (
        <>
          <State watch={watch} />
          {mayWrite && (
            <div class="actions even">
              <Button icon="edit" onClick={onEdit}>
                {t.change}
              </Button>
              <Button icon="anchor" onClick={() => raise(id)}>
                {t.raise}
              </Button>
            </div>
          )}
          <Facts
            of={[
              [t.bearing, watch.bearing_deg === null ? null : bearing(watch.bearing_deg)],
              [t.greatest, metres(watch.max_distance_m)],
              [t.since, <Ago key="since" at={watch.dropped_at} />],
              [t.warnsAt, watch.warning_radius_m === null ? null : metres(watch.warning_radius_m)],
              [t.silentAfter, duration(watch.silence_seconds)],
            ]}
          />
          <Swing watch={watch} craft={craft} />
          {mayWrite && <Test id={id} />}
          <p class="hint">{t.keep}</p>
        </>
      ) : (
        <p class="soft">{t.noWatch}</p>
      )}
    </Panel>
  );
}

/** In large: how it stands, how far away, how old. */
function State({ watch }: { watch: AnchorWatch }): JSX.Element {
  const t = words();
  const { state, distance_m, radius_m, last_position_at, alert_id } = watch;
  return (
    <section class={`anchor-state ${state}`} aria-label={t.title}>
      <StateSign state={state} size={56} />
      <div class="anchor-words">
        <p class="anchor-word" role="status">
          {t.state[state]}
        </p>
        <p>{t.stateText[state]}</p>
        {alert_id !== null && may("alerts:read") && (
          <p>
            <a href={to(["alerts", alert_id])}>{t.alert}</a>
          </p>
        )}
      </div>
      {distance_m !== null && (
        <p class="anchor-distance">
          <strong>{metres(distance_m)}</strong>
          <span>{(distance_m > radius_m ? t.beyond : t.distance)(metres(radius_m))}</span>
        </p>
      )}
      <p class="anchor-fix">
        {t.lastFix}: {last_position_at ? <Ago at={last_position_at} /> : t.never}
      </p>
    </section>
  );
}

const raise = (id: string): void =>
  ask({
    title: words().raise,
    text: words().raiseText,
    action: words().raise,
    perform: async () => {
      await call(() => api.DELETE("/v1/devices/{id}/anchor", { params: { path: { id } } }));
      await readAnchorWatches();
      say(words().raised);
    },
  });

/** Sends a test the way that an alarm goes, and says what became of it. */
function Test({ id }: { id: string }): JSX.Element {
  const t = words();
  const deliveries = useSignal<Schemas["Delivery"][] | null>(null);
  const refusal = useSignal<string | null>(null);
  const test = async () => {
    trySiren();
    refusal.value = null;
    try {
      const { data } = await call(() =>
        api.POST("/v1/devices/{id}/anchor/test", { params: { path: { id } } }),
      );
      deliveries.value = data.deliveries;
    } catch (error) {
      refusal.value = messageOf(error);
    }
  };
  return (
    <Section title={t.test}>
      <p class="soft">{t.testLead}</p>
      <div class="actions left">
        <Button icon="sound" onClick={test}>
          {t.test}
        </Button>
      </div>
      <div role="status">
        {refusal.value && <p class="notice bad">{refusal.value}</p>}
        {deliveries.value?.length === 0 && <p class="notice warn">{t.testNone}</p>}
        {deliveries.value && deliveries.value.length > 0 && (
          <Deliveries of={deliveries.value} names="target" onChanged={test} />
        )}
      </div>
    </Section>
  );
}
