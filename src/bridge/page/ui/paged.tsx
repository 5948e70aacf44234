import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { Show, useLoaded } from "./loaded";
import { Pages } from "./pages";

/** A list of the API, a page at a time, which is read anew whenever one of `about` changes. */
export function Paged<T>({
  read,
  about,
  none,
  actions,
  row,
}: {
  read: (page: number) => Promise<{ data: readonly T[]; pagination: { page: number; total_pages: number } }>;
  about: readonly unknown[];
  /** In place of an empty list. */
  none: ComponentChildren;
  /** Above a list that is not empty. */
  actions?: ComponentChildren;
  row: (one: T) => JSX.Element;
}): JSX.Element {
  const page = useSignal(1);
  const loaded = useLoaded(async () => {
    const found = await read(page.value);
    const last = Math.max(1, found.pagination.total_pages);
    if (page.value <= last) return found;
    // The list has become shorter than the pages before this one: it isn't empty.
    page.value = last;
    return read(last);
  }, [page.value, ...about]);
  return (
    <Show of={loaded}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          none
        ) : (
          <>
            {actions && <div class="actions">{actions}</div>}
            <ul class="rows">{data.map(row)}</ul>
            <Pages
              pagination={pagination}
              onPage={(to) => {
                page.value = to;
              }}
            />
          </>
        )
      }
    </Show>
  );
}
