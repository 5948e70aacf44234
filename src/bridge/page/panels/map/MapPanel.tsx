import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

/** The map alone: the shell draws it below every view. */
export function MapPanel(): JSX.Element | null {
  useEffect(() => {
    document.title = "Fairlead";
  }, []);
  return null;
}
