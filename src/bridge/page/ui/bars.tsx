import type { JSX } from "preact";

/** A small graph of bars, each with its words; whoever can't see it reads these in a list. */
export function Bars({
  label,
  bars,
}: {
  label: string;
  bars: readonly { name: string; value: number; words: string }[];
}): JSX.Element {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <figure class="bars-graph" aria-label={label}>
      <ol>
        {bars.map(({ name, value, words }) => (
          <li key={name} title={`${name}: ${words}`}>
            <span class="bar-body" style={{ height: `${(100 * value) / most}%` }} aria-hidden="true" />
            <span class="unseen">
              {name}: {words}
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
