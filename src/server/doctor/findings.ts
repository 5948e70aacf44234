/** The doctor's findings, one line each. A problem needs mending, a warning deserves a thought. */
export interface Finding {
  check: string;
  verdict: "ok" | "warning" | "problem";
  /** The fact, and the remedy. */
  message: string;
}

export const ok = (check: string, message: string): Finding => ({ check, verdict: "ok", message });
export const warning = (check: string, message: string): Finding => ({ check, verdict: "warning", message });
export const problem = (check: string, message: string): Finding => ({ check, verdict: "problem", message });

/** The findings, or one saying that all is well. */
export const orOk = (found: Finding[], check: string, message: string): Finding[] =>
  found.length > 0 ? found : [ok(check, message)];
