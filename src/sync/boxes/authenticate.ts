import { hashToken } from "../../kernel/crypto/crypto";
import { sqlite, statement } from "../../kernel/db/connection";
import { afterCommit } from "../../kernel/db/transactions";
import { BoundedMap } from "../../kernel/values/bounded-map";

/**
 * The credentials of boxes. One is the installation's and not its maker's: a box goes on telling when whoever made it has left.
 * Raw SQL: each push comes with one.
 */

/** A box that has presented its token. */
export interface BoxCaller {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token. */
  readonly token_hash: string;
}

const byHash = statement(() =>
  sqlite.prepare<BoxCaller, [string]>(
    "SELECT id, name, token_hash FROM boxes WHERE token_hash = ? AND ended_at IS NULL",
  ),
);

/** Boxes by the hash of their token, so that a request costs no query. */
const known = new BoundedMap<string, BoxCaller>(10_000);

let epoch = 0;

/** Called by all that makes, changes or deletes a box or its token, in its transaction. */
export function boxesChanged(): void {
  afterCommit(() => {
    epoch++;
    known.clear();
  });
}

/** A number that stays the same while no box is made, changed or deleted. */
export const boxEpoch = (): number => epoch;

const BOX_TOKEN = /^flb_[A-Za-z0-9_-]{43}$/;

/** The box with a token; null if there is none. */
export function findBoxByToken(token: string): BoxCaller | null {
  if (!BOX_TOKEN.test(token)) return null;
  const hash = hashToken(token);
  const remembered = known.get(hash);
  if (remembered) return remembered;
  const found = byHash().get(hash);
  if (found) known.set(hash, found);
  return found;
}
