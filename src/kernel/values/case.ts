/** Field names: REST's in snake_case, GraphQL's and the export's in camelCase. */

type CamelCase<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S;

export type CamelCased<T> = { [K in keyof T as CamelCase<K & string>]: T[K] };

export const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

export const toSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A record with its own field names in camelCase; nested values stay as they are. */
export function camelCased<T extends object>(value: T): CamelCased<T> {
  const entries = Object.entries(value).map(([key, member]) => [toCamelCase(key), member]);
  return Object.fromEntries(entries) as CamelCased<T>;
}

/** A record with its own field names in snake_case. */
export const snakeCased = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [toSnakeCase(key), member]));
