import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type Alert, acknowledge } from "../../alerts";
import { bound, Form, TextField } from "../../ui/form";
import { common } from "../../ui/words";
import { words } from "./words";

/** Says that somebody cares, with a note if they like. */
export function Acknowledge({
  alert,
  onDone,
  onCancel,
}: {
  alert: Alert;
  onDone?: () => unknown;
  onCancel?: () => void;
}): JSX.Element {
  const t = words();
  const note = useSignal("");
  const perform = async () => {
    await acknowledge(alert.id, note.value);
    await onDone?.();
  };
  return (
    <div class="acknowledge">
      <Form action={t.acknowledge} onSubmit={perform} onCancel={onCancel}>
        <TextField
          label={`${t.note} (${common().optional})`}
          hint={t.noteHint}
          maxLength={1_000}
          {...bound(note)}
        />
      </Form>
    </div>
  );
}
