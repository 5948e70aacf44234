import type { Finding } from "./findings";

/** The findings as `doctor --json` prints them: in English, with the other languages beside it. */

type PrintedFinding = Omit<Finding, "message"> & {
  message: string;
  translations: Omit<Finding["message"], "en">;
};

export interface Printed {
  problems: number;
  warnings: number;
  findings: PrintedFinding[];
}

export function printed({ message: { en, ...translations }, ...finding }: Finding): PrintedFinding {
  return { ...finding, message: en, translations };
}

export function read({ message, translations, ...finding }: PrintedFinding): Finding {
  return { ...finding, message: { en: message, ...translations } };
}
