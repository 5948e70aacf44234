import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { viewTitle } from "../title";
import { Icon, type IconName } from "./icons";
import { common } from "./words";

/** A panel: its title, a way back where it lies below another, actions, and its content. */
export function Panel({
  title,
  back,
  actions,
  children,
}: {
  title: string;
  /** The address of the panel above. */
  back?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    viewTitle.value = title;
  }, [title]);
  return (
    <div class="panel">
      <header class="panel-head">
        {back !== undefined && (
          <a class="button quiet bare" href={back} aria-label={common().back} title={common().back}>
            <Icon name="back" />
          </a>
        )}
        <h1>{title}</h1>
        {actions && <div class="panel-actions">{actions}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </div>
  );
}

/** Says what to do next where there is nothing to show. */
export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <Icon name={icon} size={32} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A part of a panel under a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="section">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Names and values, side by side. Values that are null are left out. */
export function Facts({
  of,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
