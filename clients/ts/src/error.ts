/** A refusal by the server, for good: asking again would not help. */
export class FairleadError extends Error {
  override readonly name = "FairleadError";
  /** The status of HTTP: 400, 401, 403. */
  readonly status: number;
  /** Short name of the error, such as `Forbidden`. */
  readonly error: string;

  /** Of an answer's status and body. */
  constructor(status: number, body: string) {
    const { error, message } = wordsOf(body);
    super(message ?? `The server answered ${status}`);
    this.status = status;
    this.error = error ?? "Refused";
  }
}

function wordsOf(body: string): { error?: string; message?: string } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

/** Calls a function of the subscriber. What it throws is an uncaught error, and hinders nothing else. */
export function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
