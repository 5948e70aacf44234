import type { JSX } from "preact";
import { download } from "../download";
import { Button } from "./button";

/** Buttons that download the same thing in several formats. `pathOf` gives the path of the API. */
export function Downloads({
  label,
  formats,
  pathOf,
}: {
  label: string;
  formats: readonly string[];
  pathOf: (format: string) => string;
}): JSX.Element {
  return (
    <fieldset class="downloads">
      <legend>{label}</legend>
      {formats.map((format) => (
        <Button key={format} icon="download" onClick={() => download(pathOf(format))}>
          {format.toUpperCase()}
        </Button>
      ))}
    </fieldset>
  );
}
