import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button";
import type { IconName } from "./icons";
import { common } from "./words";

/** A button that opens a small window beside itself. Escape and a press elsewhere close it. */
export function Popover({
  icon,
  label,
  children,
  onOpen,
}: {
  icon: IconName;
  label: string;
  children: (close: () => void) => ComponentChildren;
  onOpen?: () => void;
}): JSX.Element {
  const isOpen = useSignal(false);
  const element = useRef<HTMLDivElement>(null);
  const title = useId();
  const close = () => {
    isOpen.value = false;
  };
  useEffect(() => {
    if (!isOpen.value) return;
    onOpen?.();
    const held = element.current;
    held?.querySelector<HTMLElement>("[role=dialog]")?.focus();
    const press = ({ target }: Event) => {
      if (!held?.contains(target as Node)) close();
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      close();
      held?.querySelector("button")?.focus();
    };
    addEventListener("pointerdown", press, true);
    addEventListener("keydown", key);
    return () => {
      removeEventListener("pointerdown", press, true);
      removeEventListener("keydown", key);
    };
  }, [isOpen.value]);
  return (
    <div class="popover-place" ref={element}>
      <Button
        icon={icon}
        label={label}
        isPressed={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      />
      {isOpen.value && (
        <div class="popover" role="dialog" aria-labelledby={title} tabIndex={-1}>
          <header>
            <h2 id={title}>{label}</h2>
            <Button icon="close" kind="quiet" label={common().close} onClick={close} />
          </header>
          {children(close)}
        </div>
      )}
    </div>
  );
}
