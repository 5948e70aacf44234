import type { JSX } from "preact";
import { Choices } from "../../../ui/choices";
import { DurationField } from "../../../ui/duration";
import { CheckField, SelectField } from "../../../ui/form";
import { More } from "../../../ui/more";
import { ScheduleField } from "../ScheduleField";
import { TargetChoice, useTargets } from "../TargetChoice";
import type { Draft } from "./draft";
import type { SetDraft } from "./RuleEditor";
import { devicesForRules } from "./rights";
import { words } from "./words";

/** The parts of a rule that all conditions share. */

interface Props {
  draft: Draft;
  set: SetDraft;
}

const DAY = 86_400;

export function Devices({ draft, set, isLimited }: Props & { isLimited: boolean }): JSX.Element {
  const t = words();
  return (
    <>
      {!isLimited && (
        <SelectField
          label={t.devices}
          value={draft.devices}
          options={[
            ["all", t.devicesAll],
            ["some", t.devicesSome],
          ]}
          onChange={(devices) => set({ devices })}
        />
      )}
      {(isLimited || draft.devices === "some") && (
        <Choices
          legend={t.devicesSome}
          none={t.noDevices}
          of={devicesForRules()}
          chosen={draft.deviceIds}
          onChange={(deviceIds) => set({ deviceIds })}
        />
      )}
    </>
  );
}

/** Whoever makes a rule by a share chooses no targets of others. */
export function Targets({ draft, set, isLimited }: Props & { isLimited: boolean }): JSX.Element {
  const t = words();
  const { targets } = useTargets();
  const hasNoDefault =
    !isLimited && targets !== null && !targets.some((each) => each.is_default && each.is_active);
  return (
    <>
      <SelectField
        label={t.targets}
        {...(draft.targets === "default" && hasNoDefault && { hint: t.noDefault })}
        value={draft.targets}
        options={[
          ["default", t.targetsDefault],
          ...(isLimited ? [] : [["some", t.targetsSome] as const]),
          ["none", t.targetsNone],
        ]}
        onChange={(targets) => set({ targets })}
      />
      {draft.targets === "some" && (
        <TargetChoice
          legend={t.targetsSome}
          none={t.noTargets}
          chosen={draft.targetIds}
          onChange={(targetIds) => set({ targetIds })}
        />
      )}
    </>
  );
}

export function Escalation({ draft, set }: Props): JSX.Element {
  const t = words();
  return (
    <>
      <CheckField
        label={t.escalates}
        isChecked={draft.escalates}
        onChange={(escalates) => set({ escalates })}
      />
      {draft.escalates && (
        <>
          <DurationField
            label={t.escalateAfter}
            required
            min={10}
            max={7 * DAY}
            value={draft.escalateAfter}
            onInput={(escalateAfter) => set({ escalateAfter })}
          />
          <TargetChoice
            legend={t.escalateTo}
            none={t.noTargets}
            chosen={draft.escalateIds}
            onChange={(escalateIds) => set({ escalateIds })}
          />
        </>
      )}
    </>
  );
}

/** When the rule counts, and how patient it is. An anchor watch has its own patience. */
export function Times({ draft, set }: Props): JSX.Element {
  const t = words();
  return (
    <More title={t.when}>
      {draft.type !== "anchor" && (
        <>
          <DurationField
            label={t.hold}
            hint={t.holdHint}
            max={DAY}
            value={draft.hold}
            onInput={(hold) => set({ hold })}
          />
          <DurationField
            label={t.cooldown}
            hint={t.cooldownHint}
            max={DAY}
            value={draft.cooldown}
            onInput={(cooldown) => set({ cooldown })}
          />
        </>
      )}
      <ScheduleField label={t.schedule} value={draft.schedule} onChange={(schedule) => set({ schedule })} />
    </More>
  );
}
