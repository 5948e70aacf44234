/** Records that are heard of while their list is read: the answer may be older than they are. */
export class Heard<T extends object> {
  readonly #idOf: (record: T) => string;
  #meanwhile = new Map<string, T | null>();

  constructor(idOf: (record: T) => string) {
    this.#idOf = idOf;
  }

  /** Takes note of a record as it is now; null for one that is gone. */
  note(id: string, record: T | null): void {
    this.#meanwhile.set(id, record);
  }

  /**
   * The records of a list by their identifiers, with those that were heard of since it was asked for as they are after it. Null if
   * another reading has begun meanwhile, which then counts, whatever became of this one. Throws what `list` throws.
   */
  async read(list: () => Promise<readonly T[]>): Promise<Map<string, T> | null> {
    const meanwhile = new Map<string, T | null>();
    this.#meanwhile = meanwhile;
    const isOvertaken = () => this.#meanwhile !== meanwhile;
    try {
      const found = await list();
      if (isOvertaken()) return null;
      const newest = new Map<string, T | null>(found.map((record) => [this.#idOf(record), record]));
      for (const [id, record] of meanwhile) newest.set(id, record);
      return new Map([...newest].flatMap(([id, record]) => (record ? [[id, record]] : [])));
    } catch (error) {
      if (isOvertaken()) return null;
      throw error;
    }
  }
}
