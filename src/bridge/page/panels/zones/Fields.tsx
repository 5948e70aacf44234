import type { Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Schemas } from "../../api";
import { BoxChoice } from "../../boxes";
import { AreaField, CheckField, NumberField, TextField } from "../../ui/form";
import { More } from "../../ui/more";
import { common } from "../../ui/words";
import { words } from "./words";

/** The fields of a zone beside its shape. */

type Zone = Schemas["Geofence"];

export type Filled = Pick<
  Zone,
  | "name"
  | "description"
  | "color"
  | "is_active"
  | "exit_margin_m"
  | "max_accuracy_m"
  | "dwell_seconds"
  | "box_ids"
> & {
  /** Null while a field is empty. */
  [field in "confirm_fixes" | "enter_after_s" | "exit_after_s"]: number | null;
};

export function filledOf(zone: Zone | null): Filled {
  if (zone) return zone;
  return {
    ...{ name: "", description: null, color: null, is_active: true },
    ...{ confirm_fixes: 1, enter_after_s: 0, exit_after_s: 0 },
    ...{ exit_margin_m: null, max_accuracy_m: null, dwell_seconds: null },
    box_ids: [],
  };
}

/** The fields as they are sent: a zone that is made is active. */
export function sentFields(filled: Filled, zone: Zone | null) {
  const { name, description, color, is_active, exit_margin_m, max_accuracy_m, dwell_seconds } = filled;
  return {
    ...{ name: name.trim(), description: description?.trim() || null, color: color || null },
    ...{ exit_margin_m, max_accuracy_m, dwell_seconds },
    confirm_fixes: filled.confirm_fixes ?? 1,
    enter_after_s: filled.enter_after_s ?? 0,
    exit_after_s: filled.exit_after_s ?? 0,
    ...(zone && { is_active }),
    // A change of them takes another right: they are sent only where they are others.
    ...(filled.box_ids.join() !== (zone?.box_ids ?? []).join() && { box_ids: filled.box_ids }),
  };
}

/** A colour that the browser's own field can show. */
const HEX = /^#[0-9a-f]{6}$/i;
const FIRST_COLOR = "#6b4fa0";

/** `children` is the shape by numbers. */
export function Fields({
  filled,
  isNew,
  children,
}: {
  filled: Signal<Filled>;
  isNew: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const t = words();
  const now = filled.value;
  const set = (change: Partial<Filled>) => {
    filled.value = { ...filled.value, ...change };
  };
  return (
    <>
      <TextField label={t.name} required maxLength={200} value={now.name} onInput={(name) => set({ name })} />
      {children}
      {!isNew && (
        <CheckField
          label={t.isActive}
          isChecked={now.is_active}
          onChange={(is_active) => set({ is_active })}
        />
      )}
      <More title={common().more}>
        <AreaField
          label={`${t.description} (${common().optional})`}
          maxLength={10_000}
          value={now.description ?? ""}
          onInput={(description) => set({ description })}
        />
        <CheckField
          label={t.hasColor}
          isChecked={now.color !== null}
          onChange={(has) => set({ color: has ? FIRST_COLOR : null })}
        />
        {now.color !== null && (
          <TextField
            label={t.color}
            type={HEX.test(now.color) ? "color" : "text"}
            maxLength={64}
            value={now.color}
            onInput={(color) => set({ color })}
          />
        )}
        <NumberField
          label={t.dwell}
          hint={t.noDwell}
          min={1 / 60}
          max={525_600}
          value={now.dwell_seconds === null ? null : now.dwell_seconds / 60}
          onInput={(minutes) => set({ dwell_seconds: minutes === null ? null : Math.round(minutes * 60) })}
        />
        <fieldset>
          <legend>{t.against}</legend>
          <NumberField
            label={t.confirm}
            hint={t.confirmHint}
            min={1}
            max={10}
            step={1}
            value={now.confirm_fixes}
            onInput={(confirm_fixes) => set({ confirm_fixes })}
          />
          <div class="pair">
            <NumberField
              label={t.enterAfter}
              min={0}
              max={86_400}
              step={1}
              value={now.enter_after_s}
              onInput={(enter_after_s) => set({ enter_after_s })}
            />
            <NumberField
              label={t.exitAfter}
              min={0}
              max={86_400}
              step={1}
              value={now.exit_after_s}
              onInput={(exit_after_s) => set({ exit_after_s })}
            />
          </div>
          <NumberField
            label={t.margin}
            hint={t.asServer}
            min={0}
            max={100_000}
            value={now.exit_margin_m}
            onInput={(exit_margin_m) => set({ exit_margin_m })}
          />
          <NumberField
            label={t.accuracy}
            hint={t.asServer}
            min={0}
            max={1_000_000}
            value={now.max_accuracy_m}
            onInput={(max_accuracy_m) => set({ max_accuracy_m })}
          />
        </fieldset>
      </More>
      <BoxChoice chosen={now.box_ids} onChange={(box_ids) => set({ box_ids })} />
    </>
  );
}
