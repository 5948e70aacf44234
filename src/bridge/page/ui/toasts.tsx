import { signal } from "@preact/signals";
import type { JSX } from "preact";

/** Short words about what has just been done; read out politely, and gone after some seconds. */

interface Toast {
  id: number;
  text: string;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

export function say(text: string): void {
  const toast = { id: ++last, text };
  toasts.value = [...toasts.value.slice(-2), toast];
  setTimeout(() => {
    toasts.value = toasts.value.filter(({ id }) => id !== toast.id);
  }, 5_000);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
