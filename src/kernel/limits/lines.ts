/** Waiting lines, one for each address (or user), which take turns: one that sends much waits for itself. */
export class Lines<Item> {
  /** The first is next. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  /** Number of items in all lines. */
  get size(): number {
    return this.#size;
  }

  lengthOf(who: string): number {
    return this.#lines.get(who)?.length ?? 0;
  }

  push(who: string, item: Item): void {
    const line = this.#lines.get(who);
    if (line) line.push(item);
    else this.#lines.set(who, [item]);
    this.#size++;
  }

  /** Takes the oldest item of the next line, which goes to the back; undefined if nothing waits. */
  shift(): Item | undefined {
    const [first] = this.#lines;
    if (!first) return undefined;
    const [who, line] = first;
    this.#lines.delete(who);
    if (line.length > 1) this.#lines.set(who, line);
    this.#size--;
    return line.shift();
  }

  /** Takes the newest item of the longest line, if that is longer than `length`. */
  popLonger(length: number): Item | undefined {
    let longest: [string, Item[]] | undefined;
    for (const entry of this.#lines) if (entry[1].length > (longest?.[1].length ?? length)) longest = entry;
    if (!longest) return undefined;
    const [who, line] = longest;
    if (line.length === 1) this.#lines.delete(who);
    this.#size--;
    return line.pop();
  }
}
