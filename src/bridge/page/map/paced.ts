/** Draws no more often than every so many milliseconds, however often it is asked to. */
export function paced(draw: () => void, pause: () => number): () => void {
  let isDue = false;
  let last = Number.NEGATIVE_INFINITY;
  const run = () => {
    isDue = false;
    last = performance.now();
    draw();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(run, Math.max(0, last + pause() - performance.now()));
  };
}
