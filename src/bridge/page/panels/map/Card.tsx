import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "../../ui/button";
import { common } from "../../ui/words";

/** A card over the map about what is chosen. The map learns how much of it the card covers. */
export function Card({
  title,
  onClose,
  children,
}: {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLElement>(null);
  const name = useId();
  useEffect(() => {
    const card = element.current;
    if (!card) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty("--covered", `${card.offsetHeight}px`));
    observer.observe(card);
    return () => {
      observer.disconnect();
      style.removeProperty("--covered");
    };
  }, []);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return (
    <section class="map-card" ref={element} aria-labelledby={name}>
      <header>
        <h2 id={name} tabIndex={-1}>
          {title}
        </h2>
        <Button icon="close" kind="quiet" label={common().close} onClick={onClose} />
      </header>
      {children}
    </section>
  );
}
