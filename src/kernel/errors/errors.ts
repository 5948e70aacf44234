import { SQLiteError } from "bun:sqlite";

/** One invalid part of an input: `path` is a JSON pointer into it, such as `/latitude`. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** The status of each error name. Programs read the name, people the message. */
const STATUS = {
  ValidationError: 400,
  BadRequest: 400,
  InvalidStatusTransition: 400,
  Unauthorized: 401,
  Forbidden: 403,
  AccountBanned: 403,
  TwoFactorLocked: 403,
  ReauthenticationRequired: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  PublicUrlNeeded: 409,
  PasskeysUnavailable: 409,
  OwnedByBox: 409,
  OwnedByShore: 409,
  CursorExpired: 410,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  IdempotencyKeyReused: 422,
  UpgradeRequired: 426,
  TooManyRequests: 429,
  InternalServerError: 500,
  NotImplemented: 501,
  ServiceUnavailable: 503,
  BotNotConnected: 503,
  BotTimeout: 503,
} as const;

export type ErrorName = keyof typeof STATUS;

interface ErrorExtras {
  details?: ErrorDetail[];
  headers?: Record<string, string>;
  /** For the operator's log; never leaves the server. */
  cause?: unknown;
}

/**
 * A refusal that the caller may read. Its message is public: no SQL, no path of the machine, no secret and
 * nothing that the caller sent.
 */
export class AppError extends Error {
  readonly status: number;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(name: ErrorName, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause });
    this.name = name;
    this.status = STATUS[name];
    this.details = extras.details;
    // Each 401 carries a challenge (RFC 9110, section 15.5.2).
    this.headers = extras.headers ?? (this.status === 401 ? { "www-authenticate": "Bearer" } : undefined);
  }

  /** The error body: `error`, `message` and, for invalid input, `details` (rule H6). */
  body(): { error: string; message: string; details?: ErrorDetail[] } {
    return this.details === undefined
      ? { error: this.name, message: this.message }
      : { error: this.name, message: this.message, details: this.details };
  }
}

export const badRequest = (message: string) => new AppError("BadRequest", message);
export const forbidden = (message: string) => new AppError("Forbidden", message);
export const conflict = (message: string, cause?: unknown) => new AppError("Conflict", message, { cause });

/** 404 for a record: `notFound("Trip")` reads "Trip not found". */
export const notFound = (what: string) => new AppError("NotFound", `${what} not found`);

export const unauthorized = (message = "Authentication is required: send Authorization: Bearer <token>") =>
  new AppError("Unauthorized", message);

/** A ValidationError with one detail, for rules that no schema states. */
export const invalid = (path: string, message: string) => invalidAll([{ path, message }]);

/** A ValidationError with some details, whose message is that of the first one. */
export const invalidAll = (details: ErrorDetail[]) => {
  const { path, message } = details[0] as ErrorDetail;
  return new AppError("ValidationError", `${path.slice(1).replaceAll("/", ".")} ${message}`, { details });
};

/** SQLite's result codes for a store that can't take the write now (sqlite.org/rescode.html). */
const STORE_UNAVAILABLE = /^SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|NOMEM)/;

/** True if the store can't be read or written now: no bug, and it affects every request. */
export const isStoreTrouble = (thrown: unknown): thrown is SQLiteError =>
  thrown instanceof SQLiteError && STORE_UNAVAILABLE.test(thrown.code ?? "");

/** Turns any thrown value into the error to answer. An unknown one becomes a bland 500. */
export function toAppError(thrown: unknown, requestId: string): AppError {
  if (thrown instanceof AppError) {
    if (thrown.name !== "InternalServerError") return thrown;
    return new AppError("InternalServerError", `${thrown.message}; the request id is ${requestId}`, {
      cause: thrown.cause,
    });
  }
  if (isStoreTrouble(thrown))
    return new AppError("ServiceUnavailable", "The server cannot store or read data now; try again later", {
      cause: thrown,
      headers: { "retry-after": "5" },
    });
  return new AppError("InternalServerError", `Something went wrong; the request id is ${requestId}`, {
    cause: thrown,
  });
}

/** True if SQLite refused a row because it breaks a UNIQUE constraint (a partial unique index included). */
export function isUniqueViolation(thrown: unknown): boolean {
  return thrown instanceof SQLiteError && thrown.code === "SQLITE_CONSTRAINT_UNIQUE";
}
