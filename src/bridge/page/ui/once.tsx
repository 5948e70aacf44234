import type { ComponentChildren, JSX } from "preact";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { common } from "./words";

/** A dialog with something that is shown once, such as a key: only its button closes it. */
export function Once({
  title,
  children,
  onDone,
}: {
  title: string;
  children: ComponentChildren;
  onDone: () => void;
}): JSX.Element {
  return (
    <Dialog title={title}>
      {children}
      <footer class="actions">
        <Button kind="main" onClick={onDone}>
          {common().done}
        </Button>
      </footer>
    </Dialog>
  );
}
