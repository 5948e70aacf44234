import { useEffect, useRef } from "preact/hooks";

/**
 * Calls `perform` whenever `cause` has become another value: at once, and then at most once in so many milliseconds, however
 * often it changes. The last change is never left out.
 */
export function useAtMostEvery(milliseconds: number, perform: () => unknown, cause: unknown): void {
  const last = useRef(0);
  const first = useRef(cause);
  const performer = useRef(perform);
  performer.current = perform;
  useEffect(() => {
    if (cause === first.current) return;
    first.current = undefined;
    const pause = Math.max(0, last.current + milliseconds - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      performer.current();
    }, pause);
    return () => clearTimeout(timer);
  }, [cause, milliseconds]);
}
