import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AnchorWatch } from "../../anchors";
import { api, call } from "../../api";
import { isolated } from "../../direction";
import type { Craft } from "../../fleet";
import type { AnchorShape } from "../../map/anchor";
import { useStage } from "../../map/current";
import { may } from "../../session";
import { DurationField } from "../../ui/duration";
import { FieldFault, Form, NumberField, SelectField } from "../../ui/form";
import { More } from "../../ui/more";
import { Panel } from "../../ui/panel";
import { say } from "../../ui/toasts";
import { words as ruleWords } from "../alerts/rules/words";
import { TargetChoice } from "../alerts/TargetChoice";
import { bodyOf, type Draft, draftOf, type Mode, placeOf } from "./draft";
import { comeNear, holdAnchor } from "./drawing";
import { words } from "./words";

/** Drops the anchor, or moves and resizes the watch: by fields, and by hand on the map. */
export function AnchorEditor({
  craft,
  watch,
  back,
  onDone,
  onCancel,
}: {
  craft: Craft;
  watch: AnchorWatch | null;
  back: string | undefined;
  onDone: () => Promise<void>;
  onCancel: (() => void) | undefined;
}): JSX.Element {
  const t = words();
  const { id, name } = craft.device.value;
  const draft = useSignal<Draft>(draftOf(watch, craft.fix.peek()));
  const set = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change };
  };
  const shape = useComputed<AnchorShape | null>(() => {
    const fix = craft.fix.value;
    const place = placeOf(draft.value, watch, fix);
    if (!place) return null;
    const { radius, warning } = draft.value;
    const [longitude, latitude] = place;
    return {
      ...{ longitude, latitude, radius_m: radius ?? 0, warning_radius_m: warning },
      state: "holding",
      boat: fix,
    };
  });
  useStage(
    (stage) =>
      holdAnchor(stage, id, shape, {
        onRadius: (radius) => set({ radius }),
        onPlace: (longitude, latitude) => set({ mode: "map", ...rounded(longitude, latitude) }),
        takesTaps: () => draft.peek().mode === "map",
      }),
    [id],
  );
  useStage((stage) => comeNear(stage, shape.peek()), [id]);
  const choose = (mode: Mode) => {
    const at = shape.peek();
    // From where it was, it is moved on.
    set({ mode, ...(mode === "map" && at && rounded(at.longitude, at.latitude)) });
  };
  const save = async () => {
    if (!shape.peek()) throw new FieldFault(t.pickPlace);
    const { targets, targetIds } = draft.peek();
    if (targets === "some" && targetIds.length === 0) throw new FieldFault(t.chooseTarget);
    await call(() =>
      api.PUT("/v1/devices/{id}/anchor", { params: { path: { id } }, body: bodyOf(draft.peek()) }),
    );
    say(t.set);
    await onDone();
  };
  const now = draft.value;
  return (
    <Panel title={`${t.title}: ${isolated(name)}`} {...(back !== undefined && { back })}>
      <Form action={watch ? t.save : t.drop} onSubmit={save} onCancel={onCancel}>
        <Place
          draft={now}
          set={set}
          choose={choose}
          hasWatch={watch !== null}
          hasFix={craft.fix.value !== null}
        />
        <NumberField
          label={t.radius}
          hint={t.radiusHint}
          required
          min={5}
          max={5_000}
          step={1}
          value={now.radius}
          onInput={(radius) => set({ radius })}
        />
        <Patience draft={now} set={set} />
      </Form>
    </Panel>
  );
}

/** A tenth of a metre, as degrees have it. */
const rounded = (longitude: number, latitude: number) => ({
  longitude: Math.round(longitude * 1e6) / 1e6,
  latitude: Math.round(latitude * 1e6) / 1e6,
});

interface Props {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function Place({
  draft,
  set,
  choose,
  hasWatch,
  hasFix,
}: Props & { choose: (mode: Mode) => void; hasWatch: boolean; hasFix: boolean }): JSX.Element {
  const t = words();
  const modes: Mode[] = [
    ...(hasWatch ? (["stay"] as const) : []),
    ...(hasFix ? (["here", "bearing"] as const) : []),
    "map",
  ];
  return (
    <>
      {!hasFix && <p class="notice warn">{t.noFix}</p>}
      <SelectField
        label={t.lead}
        value={draft.mode}
        options={modes.map((mode) => [mode, t.modes[mode]] as const)}
        onChange={choose}
      />
      {draft.mode === "bearing" && (
        <div key="bearing" class="pair">
          <NumberField
            label={t.direction}
            required
            min={0}
            max={360}
            value={draft.direction}
            onInput={(direction) => set({ direction })}
          />
          <NumberField
            label={t.away}
            required
            min={0}
            max={5_000}
            value={draft.away}
            onInput={(away) => set({ away })}
          />
        </div>
      )}
      {draft.mode === "map" && (
        <>
          <p class="hint">{t.tap}</p>
          <div class="pair">
            <NumberField
              label={t.latitude}
              required
              min={-90}
              max={90}
              value={draft.latitude}
              onInput={(latitude) => set({ latitude })}
            />
            <NumberField
              label={t.longitude}
              required
              min={-180}
              max={180}
              value={draft.longitude}
              onInput={(longitude) => set({ longitude })}
            />
          </div>
        </>
      )}
    </>
  );
}

function Patience({ draft, set }: Props): JSX.Element {
  const t = words();
  const rule = ruleWords();
  return (
    <More title={t.more}>
      <NumberField
        label={t.warning}
        hint={t.warningHint}
        min={1}
        max={5_000}
        step={1}
        value={draft.warning}
        onInput={(warning) => set({ warning })}
      />
      <DurationField
        label={t.silence}
        min={10}
        max={86_400}
        value={draft.silence}
        onInput={(silence) => set({ silence })}
      />
      <NumberField
        label={t.confirm}
        hint={t.confirmHint}
        min={1}
        max={10}
        step={1}
        value={draft.confirm}
        onInput={(confirm) => set({ confirm })}
      />
      <SelectField
        label={t.severity}
        value={draft.severity}
        options={(["alarm", "warning", "info"] as const).map(
          (each) => [each, rule.severities[each]] as const,
        )}
        onChange={(severity) => set({ severity })}
      />
      {may("alerts:write") && (
        <>
          <SelectField
            label={t.targets}
            value={draft.targets}
            options={[
              ["default", rule.targetsDefault],
              ["some", rule.targetsSome],
              ["none", rule.targetsNone],
            ]}
            onChange={(targets) => set({ targets })}
          />
          {draft.targets === "some" && (
            <TargetChoice
              legend={rule.targetsSome}
              none={t.noTargets}
              chosen={draft.targetIds}
              onChange={(targetIds) => set({ targetIds })}
            />
          )}
        </>
      )}
    </More>
  );
}
