import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { messageOf } from "../api";
import { session } from "../session";
import { Button } from "./button";
import { common } from "./words";

/** A reading of the API for a panel: its data, the words of a refusal, and how to read it again. */
export interface Loaded<T> {
  data: T | null;
  error: string | null;
  isLoading: boolean;
  /** Reads it again; what is there stays until the answer has come. */
  reload: () => Promise<void>;
}

/**
 * Reads when the panel opens, whenever one of `about` changes, and after another sign-in. An answer that is overtaken by a newer
 * question is dropped.
 */
export function useLoaded<T>(read: () => Promise<T>, about: readonly unknown[]): Loaded<T> {
  const state = useSignal<Omit<Loaded<T>, "reload">>({ data: null, error: null, isLoading: true });
  const newest = useRef(0);
  const reader = useRef(read);
  reader.current = read;
  const reload = useCallback(async () => {
    const asked = ++newest.current;
    state.value = { ...state.peek(), isLoading: true };
    try {
      const data = await reader.current();
      if (asked === newest.current) state.value = { data, error: null, isLoading: false };
    } catch (error) {
      if (asked !== newest.current) return;
      state.value = { ...state.peek(), error: messageOf(error), isLoading: false };
    }
  }, [state]);
  const isOpen = session.value === "open" || session.value === "none";
  useEffect(() => {
    if (isOpen) void reload();
  }, [isOpen, ...about]);
  return { ...state.value, reload };
}

/** Shows what was read; until then that it is being read, and a refusal with a way to try again. */
export function Show<T>({
  of,
  children,
}: {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const t = common();
  return (
    <>
      {of.error !== null && (
        <div class="notice bad" role="alert">
          <p>{of.error}</p>
          <Button onClick={of.reload}>{t.retry}</Button>
        </div>
      )}
      {of.data !== null
        ? children(of.data)
        : of.error === null && (
            <p class="loading" role="status">
              {t.loading}
            </p>
          )}
    </>
  );
}
