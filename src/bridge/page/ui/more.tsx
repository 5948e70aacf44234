import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons";

/** Fields that few need, below their common name until somebody opens them. */
export function More({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <details class="more">
      <summary>
        <Icon name="next" />
        {title}
      </summary>
      {children}
    </details>
  );
}
