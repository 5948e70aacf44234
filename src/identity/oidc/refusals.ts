/**
 * The reasons for which a sign-in through a provider ends without one. Each is a word for a client, has words for its reader on
 * the page, and may leave an audit event.
 */
export const REASONS = [
  // Before a provider is asked.
  ...(["unknown_provider", "state_unknown", "other_browser"] as const),
  // The provider.
  ...(["denied", "provider_error", "provider_unreachable", "client_refused"] as const),
  ...(["code_refused", "clock_skew", "bad_answer"] as const),
  // The account.
  ...(["not_registered", "address_taken", "banned", "deleted"] as const),
  // Links and renewals.
  ...(["identity_taken", "other_identity", "not_fresh"] as const),
] as const;

export type Reason = (typeof REASONS)[number];

/** A sign-in that ended without one. `detail` is for the operator's log: it quotes no token, no code and no claim. */
export class SignInRefused extends Error {
  readonly reason: Reason;
  readonly detail: string | null;
  /** The account that it was about, where one is known. */
  readonly userId: string | null;

  constructor(reason: Reason, detail: string | null = null, userId: string | null = null) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
    this.userId = userId;
  }
}
