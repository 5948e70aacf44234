import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";
import { complain } from "./toasts";

interface Props {
  children?: ComponentChildren;
  icon?: IconName;
  /** The words of a button that shows an icon alone. */
  label?: string;
  kind?: "main" | "plain" | "danger" | "quiet";
  type?: "button" | "submit";
  isDisabled?: boolean;
  isPressed?: boolean;
  /** While it returns a promise that isn't settled, the button is busy and takes no further press. A refusal is shown by a toast. */
  onClick?: (() => unknown) | undefined;
}

export function Button({
  children,
  icon,
  label,
  kind = "plain",
  type = "button",
  isDisabled,
  isPressed,
  onClick,
}: Props): JSX.Element {
  const isBusy = useSignal(false);
  const press = async () => {
    const work = onClick?.();
    if (!(work instanceof Promise)) return;
    isBusy.value = true;
    try {
      await work;
    } catch (error) {
      complain(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind}${label ? " bare" : ""}`}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      aria-busy={isBusy.value || undefined}
      disabled={isDisabled || isBusy.value}
      onClick={press}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
