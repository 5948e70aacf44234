import type { JSX } from "preact";
import { Button } from "./button";
import { common } from "./words";

/** Goes through the pages of a list; nothing where there is one alone. */
export function Pages({
  pagination: { page, total_pages },
  onPage,
}: {
  pagination: { page: number; total_pages: number };
  onPage: (page: number) => void;
}): JSX.Element | null {
  const t = common();
  if (total_pages <= 1 && page <= 1) return null;
  return (
    <nav class="pages" aria-label={t.pageOf(page, total_pages)}>
      <Button icon="back" label={t.previous} isDisabled={page <= 1} onClick={() => onPage(page - 1)} />
      <span>{t.pageOf(page, total_pages)}</span>
      <Button icon="next" label={t.next} isDisabled={page >= total_pages} onClick={() => onPage(page + 1)} />
    </nav>
  );
}
