import type { JSX } from "preact";
import { chosenLocale, inLanguages } from "../language";
import { chosenLook } from "../looks";
import { distanceUnit, speedUnit } from "../units";
import { picked, SelectField } from "./form";

const words = inLanguages({
  en: {
    look: "Looks",
    looks: { auto: "as the system", light: "light", dark: "dark", night: "night (red)" },
    language: "Language",
    languages: { auto: "as the browser", en: "English", de: "Deutsch" },
    speeds: "Speeds in",
    distances: "Distances in",
  },
  de: {
    look: "Aussehen",
    looks: { auto: "wie das System", light: "hell", dark: "dunkel", night: "Nacht (rot)" },
    language: "Sprache",
    languages: { auto: "wie der Browser", en: "English", de: "Deutsch" },
    speeds: "Tempo in",
    distances: "Strecken in",
  },
});

/** The choices of this browser: looks, language and units. */
export function Settings(): JSX.Element {
  const t = words();
  return (
    <div class="pair">
      <SelectField
        label={t.look}
        {...picked(chosenLook)}
        options={(["auto", "light", "dark", "night"] as const).map((each) => [each, t.looks[each]] as const)}
      />
      <SelectField
        label={t.language}
        {...picked(chosenLocale)}
        options={(["auto", "en", "de"] as const).map((each) => [each, t.languages[each]] as const)}
      />
      <SelectField
        label={t.speeds}
        {...picked(speedUnit)}
        options={[
          ["kn", "kn"],
          ["kmh", "km/h"],
          ["mph", "mph"],
        ]}
      />
      <SelectField
        label={t.distances}
        {...picked(distanceUnit)}
        options={[
          ["nm", "nm"],
          ["km", "km"],
        ]}
      />
    </div>
  );
}
