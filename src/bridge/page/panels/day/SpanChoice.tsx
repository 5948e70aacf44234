import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { go } from "../../route";
import { Button } from "../../ui/button";
import { SelectField, TextField } from "../../ui/form";
import { addressOf, between, type Choice, inKind, KINDS, lastDate, moved, onDate } from "./choice";
import { words } from "./words";

const show = (choice: Choice | null) => {
  if (choice) go(...addressOf(choice));
};

/** Chooses the day, or a longer span. */
export function SpanChoice({ choice }: { choice: Choice }): JSX.Element {
  const t = words();
  const { kind } = choice;
  return (
    <div class="span-choice">
      <div class="span-move">
        <Button icon="back" label={t.before[kind]} onClick={() => show(moved(choice, -1))} />
        {kind !== "own" && (
          <TextField
            label={t.date}
            type="date"
            value={choice.date}
            onInput={(date) => show(onDate(choice, date))}
          />
        )}
        <SelectField
          label={t.span}
          value={kind}
          options={KINDS.map((each) => [each, t.kinds[each]] as const)}
          onChange={(value) => show(inKind(choice, value))}
        />
        <Button icon="next" label={t.after[kind]} onClick={() => show(moved(choice, 1))} />
      </div>
      {kind === "own" && <OwnSpan choice={choice} />}
    </div>
  );
}

/** Both ends of a span. What makes none, such as an end before the beginning, stays as it is typed until it does. */
function OwnSpan({ choice }: { choice: Choice }): JSX.Element {
  const t = words();
  const [first, last] = [choice.date, lastDate(choice)];
  const typed = useSignal({ first, last });
  useEffect(() => {
    typed.value = { first, last };
  }, [first, last, typed]);
  const type = (change: Partial<{ first: string; last: string }>) => {
    typed.value = { ...typed.value, ...change };
    show(between(choice, typed.value.first, typed.value.last));
  };
  return (
    <div class="pair">
      <TextField
        label={t.from}
        type="date"
        value={typed.value.first}
        onInput={(value) => type({ first: value })}
      />
      <TextField
        label={t.to}
        type="date"
        value={typed.value.last}
        onInput={(value) => type({ last: value })}
      />
    </div>
  );
}
