import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { messageOf } from "../api";
import { route } from "../route";
import { Button } from "./button";
import { common } from "./words";

/** A dialog over the page. It is open as long as it is drawn; `onClose` is called when its reader wants it closed. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  title: string;
  children: ComponentChildren;
  onClose?: () => void;
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const dialog = element.current;
    const asker = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is taken out of the page, as this one is, gives the focus to nobody.
      if (asker instanceof HTMLElement) asker.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // Chromium closes a dialog at the third press of Escape, whatever the page says to it.
      onClose={() => element.current?.showModal()}
    >
      <header>
        <h2 id={name}>{title}</h2>
        {onClose && <Button icon="close" kind="quiet" label={common().close} onClick={onClose} />}
      </header>
      {children}
    </dialog>
  );
}

interface Question {
  title: string;
  text: string;
  /** The word of the button that does it. */
  action: string;
  perform: () => Promise<unknown>;
}

const question = signal<Question | null>(null);
const failure = signal<string | null>(null);

/** Asks once, in words, before something that can't be undone. */
export function ask(asked: Question): void {
  failure.value = null;
  question.value = asked;
}

/** The question that is open, if any; drawn once, by the shell. */
export function Questions(): JSX.Element | null {
  const asked = question.value;
  const close = () => {
    question.value = null;
  };
  // Whoever goes back in the browser leaves what was asked about.
  useEffect(() => close, [route.value]);
  if (!asked) return null;
  const perform = async () => {
    try {
      await asked.perform();
      close();
    } catch (error) {
      failure.value = messageOf(error);
    }
  };
  return (
    <Dialog title={asked.title} onClose={close}>
      <p>{asked.text}</p>
      {failure.value && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
      <footer class="actions">
        <Button onClick={close}>{common().cancel}</Button>
        <Button kind="danger" onClick={perform}>
          {asked.action}
        </Button>
      </footer>
    </Dialog>
  );
}
