import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { inLanguages } from "../language";
import { bound, CheckField, TextField } from "./form";

const words = inLanguages({ en: { find: "Find" }, de: { find: "Suchen" } });

/** Longer lists are looked through by name. */
const WORTH_SEARCHING = 8;

/** Any number of things to tick, under a common name. */
export function Choices({
  legend,
  of,
  chosen,
  onChange,
  none,
}: {
  legend: string;
  of: readonly { id: string; name: string }[];
  /** Identifiers. */
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Says what to do where there is nothing to choose from. */
  none: string;
}): JSX.Element {
  const sought = useSignal("");
  const text = sought.value.trim().toLowerCase();
  const shown = of.filter(({ id, name }) => name.toLowerCase().includes(text) || chosen.includes(id));
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {of.length === 0 && <p class="soft">{none}</p>}
      {of.length > WORTH_SEARCHING && <TextField label={words().find} type="search" {...bound(sought)} />}
      <div class="choices-list">
        {shown.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            isChecked={chosen.includes(id)}
            onChange={(isChecked) =>
              onChange(isChecked ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
