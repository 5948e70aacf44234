import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError, messageOf } from "../api";
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

/** Milliseconds after which it is read again what the connection was lost for. */
const LOST = 5_000;

/** Statuses of no answer, and of a proxy whose server isn't there. */
const NOBODY = [0, 502, 504];

type Pause = number | false | null | undefined;

interface Read<T> extends Omit<Loaded<T>, "reload"> {
  /** Milliseconds until it is read again by itself, if at all. */
  pause?: Pause;
}

/**
 * Reads when the panel opens, whenever one of `about` changes, after another sign-in, and again once a lost connection may be
 * back. `again` tells for what was read after how many milliseconds it is read anew, if at all. Both wait until somebody looks.
 * An answer that is overtaken by a newer question is dropped.
 */
export function useLoaded<T>(
  read: () => Promise<T>,
  about: readonly unknown[],
  again?: (data: T) => Pause,
): Loaded<T> {
  const state = useSignal<Read<T>>({ data: null, error: null, isLoading: true });
  const newest = useRef(0);
  const reader = useRef(read);
  reader.current = read;
  const reload = useCallback(async () => {
    const asked = ++newest.current;
    state.value = { ...state.peek(), isLoading: true, pause: null };
    try {
      const data = await reader.current();
      if (asked === newest.current)
        state.value = { data, error: null, isLoading: false, pause: again?.(data) };
    } catch (error) {
      if (asked !== newest.current) return;
      const pause = error instanceof ApiError && NOBODY.includes(error.status) && LOST;
      state.value = { ...state.peek(), error: messageOf(error), isLoading: false, pause };
    }
  }, [state]);
  const isOpen = session.value === "open" || session.value === "none";
  useEffect(() => {
    if (isOpen) void reload();
  }, [isOpen, ...about]);
  const { pause } = state.value;
  useEffect(() => {
    if (!pause) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, pause);
    return () => clearInterval(timer);
  }, [state.value]);
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
