/** The refusals of the API, in words for readers. Patterns name what they take over by $1 and $2. */
export interface Table {
  /** Names of fields. */
  fields: Readonly<Record<string, string>>;
  /** Faults of single fields, as the end of a sentence that begins with the field's name. */
  faults: Readonly<Record<string, string>>;
  faultPatterns: readonly (readonly [RegExp, string])[];
  /** Whole messages. */
  messages: Readonly<Record<string, string>>;
  messagePatterns: readonly (readonly [RegExp, string])[];
}

export interface Fault {
  /** A JSON pointer into the body. */
  path: string;
  message: string;
}

export interface Refusal {
  status: number;
  /** The API's name of the error, such as `NotFound`. */
  kind: string;
  message: string;
  details: readonly Fault[];
}

/** The words for a text, by itself or by the first pattern that it has; null where there are none. */
export function wordsIn(
  text: string,
  exact: Readonly<Record<string, string>>,
  patterns: readonly (readonly [RegExp, string])[],
): string | null {
  if (Object.hasOwn(exact, text)) return exact[text] as string;
  const pattern = patterns.find(([each]) => each.test(text));
  return pattern ? text.replace(...pattern) : null;
}

/** The name of a field by its path, such as `/condition/speed_kmh`: of its last part that is no number. */
function fieldName(path: string, { fields }: Table): string {
  const name = path.split("/").findLast((part) => part !== "" && !/^\d+$/.test(part)) ?? "";
  const words = (Object.hasOwn(fields, name) && fields[name]) || name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function faultIn({ path, message }: Fault, table: Table, isEnglish: boolean): string | null {
  const whole = wordsIn(message, table.messages, table.messagePatterns);
  if (whole !== null) return whole;
  const end = wordsIn(message, table.faults, table.faultPatterns) ?? (isEnglish ? message : null);
  if (end === null) return null;
  const name = fieldName(path, table);
  return name === "" ? `${end}.` : `${name}${isEnglish ? "" : ":"} ${end}.`;
}

/** A refusal in words of a table; null where it has none. Faults of fields in English are the API's own where it has none. */
export function knownWords({ message, details }: Refusal, table: Table, isEnglish: boolean): string | null {
  const whole = wordsIn(message, table.messages, table.messagePatterns);
  if (whole !== null) return whole;
  const faults = details.map((fault) => faultIn(fault, table, isEnglish));
  return faults.length > 0 && faults.every((fault) => fault !== null) ? faults.join(" ") : null;
}
