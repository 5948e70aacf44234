import type { JSX } from "preact";
import { Button } from "./button";
import { say } from "./toasts";
import { common } from "./words";

/** Puts a text on the clipboard, also where the page is no secure context. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  // Inside of a dialog that is open, nothing outside takes the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** A text that is meant to be copied, such as a key that is shown once. */
export function Copyable({ label, text }: { label: string; text: string }): JSX.Element {
  const t = common();
  return (
    <div class="copyable">
      <span class="hint">{label}</span>
      <code>{text}</code>
      <Button
        icon="copy"
        label={`${t.copy}: ${label}`}
        onClick={async () => {
          await copy(text);
          say(t.copied);
        }}
      />
    </div>
  );
}
