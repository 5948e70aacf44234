import type { Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./button";

/** A button that opens a form in its own place, until the form closes itself again. */
export function Opener({
  label,
  isOpen,
  children,
}: {
  label: string;
  isOpen: Signal<boolean>;
  children: ComponentChildren;
}): JSX.Element {
  if (isOpen.value) return <>{children}</>;
  return (
    <Button
      kind="main"
      icon="add"
      onClick={() => {
        isOpen.value = true;
      }}
    >
      {label}
    </Button>
  );
}
