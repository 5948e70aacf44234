import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { messageOf } from "../api";

/** Short words about what has just been done; read out politely, and gone after some seconds. */

interface Toast {
  id: number;
  text: string;
  isRefusal: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Milliseconds that they stay: a refusal has more to read. */
const [STAY, STAY_OF_REFUSAL] = [5_000, 10_000];

export const say = (text: string): void => show(text, false);

/** Says that something was refused. An error of the program itself is thrown on. */
export const complain = (error: unknown): void => show(messageOf(error), true);

function show(text: string, isRefusal: boolean): void {
  const toast = { id: ++last, text, isRefusal };
  // The same words twice are one thing to read.
  toasts.value = [...toasts.value.filter((other) => other.text !== text).slice(-2), toast];
  setTimeout(
    () => {
      toasts.value = toasts.value.filter(({ id }) => id !== toast.id);
    },
    isRefusal ? STAY_OF_REFUSAL : STAY,
  );
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isRefusal }) => (
        <p key={id} class={isRefusal ? "bad" : undefined}>
          {text}
        </p>
      ))}
    </div>
  );
}
