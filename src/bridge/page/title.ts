import { effect, signal } from "@preact/signals";

/** The title of the page: what is urgent, then the view that is open. */

export const viewTitle = signal("");
export const urgentTitle = signal<string | null>(null);

effect(() => {
  document.title = [urgentTitle.value, viewTitle.value, "Fairlead"].filter(Boolean).join(" – ");
});
