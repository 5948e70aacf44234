import type { Signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { common } from "./words";

/** A dialog with something that is shown once, such as a key, while there is any: only its button closes it, and then it is gone. */
export function Once<T>({
  of,
  title,
  children,
}: {
  of: Signal<T | null>;
  title: string;
  children: (shown: T) => ComponentChildren;
}): JSX.Element | null {
  if (of.value === null) return null;
  return (
    <Dialog title={title}>
      {children(of.value)}
      <footer class="actions">
        <Button
          kind="main"
          onClick={() => {
            of.value = null;
          }}
        >
          {common().done}
        </Button>
      </footer>
    </Dialog>
  );
}
