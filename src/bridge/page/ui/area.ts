/** Height of a graph in its own units; its width is the number of its values. */
export const HEIGHT = 60;

/** The path of the areas below values from 0 to `most`, one for each stretch in which all are known. */
export function areasOf(values: readonly (number | null)[], most: number): string {
  let path = "";
  let isOpen = false;
  for (const [at, value] of [...values, null].entries()) {
    if (value !== null) {
      const y = HEIGHT - (value / most) * (HEIGHT - 2);
      path += isOpen ? `L${at + 0.5} ${y.toFixed(1)}` : `M${at} ${HEIGHT}L${at} ${y.toFixed(1)}`;
      isOpen = true;
    } else if (isOpen) {
      path += `L${at} ${HEIGHT}Z`;
      isOpen = false;
    }
  }
  return path;
}
