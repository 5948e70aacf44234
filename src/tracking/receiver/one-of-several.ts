/** Seconds without a fix of the one in use after which another one takes over. */
const PATIENCE = 10;

/**
 * Picks one of several receivers on board and stays with it while it has fixes: a track that takes each from
 * another antenna zigzags.
 */
export class OneOfSeveral {
  #chosen: { name: string; time: number | null } | null = null;

  /** True if a receiver's fix counts (Unix seconds; null for a fix without a time). */
  admits(name: string, time: number | null): boolean {
    const chosen = this.#chosen;
    const isOurs = chosen === null || chosen.name === name;
    const isOver = chosen !== null && time !== null && Math.abs(time - (chosen.time ?? time)) > PATIENCE;
    if (!isOurs && !isOver) return false;
    this.#chosen = { name, time: time ?? chosen?.time ?? null };
    return true;
  }

  /** A receiver has lost its fix. True if that counts: the next one may then take over at once. */
  loses(name: string): boolean {
    const isOurs = this.#chosen === null || this.#chosen.name === name;
    if (isOurs) this.#chosen = null;
    return isOurs;
  }
}
