import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons";

interface Tab {
  name: string;
  title: string;
  href: string;
}

/** Pixels by which a row counts as scrolled. */
const TOLERANCE = 4;

/** The parts of a panel, in a row that shows where it goes on if not all of them fit. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly Tab[];
  current: string | undefined;
}): JSX.Element {
  const row = useRef<HTMLElement>(null);
  const goesOn = useSignal({ before: false, after: false });
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      goesOn.value = {
        before: scrollLeft > TOLERANCE,
        after: scrollLeft + clientWidth < scrollWidth - TOLERANCE,
      };
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [goesOn, tabs.length]);
  useEffect(() => {
    const [element, tab] = [row.current, row.current?.querySelector("[aria-current]")];
    if (!element || !tab) return;
    // Of the row alone: to bring something into view moves everything around it too.
    const [all, one] = [element.getBoundingClientRect(), tab.getBoundingClientRect()];
    element.scrollBy({ left: one.left + one.width / 2 - (all.left + all.width / 2) });
  }, [current]);
  const { before, after } = goesOn.value;
  return (
    <div class="tabs-place">
      <nav class="tabs" aria-label={label} ref={row}>
        {tabs.map(({ name, title, href }) => (
          <a key={name} href={href} aria-current={name === current ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {before && <Further side="before" row={row} />}
      {after && <Further side="after" row={row} />}
    </div>
  );
}

/** For thumbs and mice alone: keys reach each tab, and the row follows them. */
function Further({
  side,
  row,
}: {
  side: "before" | "after";
  row: { current: HTMLElement | null };
}): JSX.Element {
  const scroll = () =>
    row.current?.scrollBy({ left: (side === "after" ? 0.8 : -0.8) * (row.current?.clientWidth ?? 0) });
  return (
    <button type="button" class={`further ${side}`} tabIndex={-1} aria-hidden="true" onClick={scroll}>
      <Icon name={side === "after" ? "next" : "back"} />
    </button>
  );
}
