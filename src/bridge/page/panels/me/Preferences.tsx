import type { JSX } from "preact";
import { chosenLocale } from "../../language";
import { chosenLook } from "../../looks";
import { SelectField } from "../../ui/form";
import { Section } from "../../ui/panel";
import { distanceUnit, speedUnit } from "../../units";
import { words } from "./words";

/** How this browser shows the page. */
export function Preferences(): JSX.Element {
  const t = words();
  return (
    <Section title={t.page}>
      <div class="pair">
        <SelectField
          label={t.look}
          value={chosenLook.value}
          options={(["auto", "light", "dark", "night"] as const).map(
            (each) => [each, t.looks[each]] as const,
          )}
          onChange={(value) => {
            chosenLook.value = value;
          }}
        />
        <SelectField
          label={t.language}
          value={chosenLocale.value}
          options={(["auto", "en", "de"] as const).map((each) => [each, t.languages[each]] as const)}
          onChange={(value) => {
            chosenLocale.value = value;
          }}
        />
        <SelectField
          label={t.speeds}
          value={speedUnit.value}
          options={[
            ["kn", "kn"],
            ["kmh", "km/h"],
            ["mph", "mph"],
          ]}
          onChange={(value) => {
            speedUnit.value = value;
          }}
        />
        <SelectField
          label={t.distances}
          value={distanceUnit.value}
          options={[
            ["nm", "nm"],
            ["km", "km"],
          ]}
          onChange={(value) => {
            distanceUnit.value = value;
          }}
        />
      </div>
    </Section>
  );
}
