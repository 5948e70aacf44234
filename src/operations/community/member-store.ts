import { newId } from "../../kernel/crypto/id";
import { sqlite, statement } from "../../kernel/db/connection";
import { transact } from "../../kernel/db/transactions";
import { describeError, log } from "../../kernel/logs/log";
import { BadAnswer, type MemberAnswer } from "./answers";
import { guildThere } from "./guilds";
import { insertInto } from "./insert";
import { foldNames } from "./search";

/**
 * Replacing the members of a guild. A sync may bring a hundred thousand: they are stored in steps, as rows
 * that belong to no guild yet, and one small transaction gives them to the guild. Until then, and if it never
 * comes, everybody sees the former ones. Rows that belong to no guild, for whatever reason, are deleted in
 * steps. Raw SQL: rows come by the hundred thousand, and Drizzle can't describe a full-text index.
 */

/** Members stored or deleted in one transaction: some milliseconds. */
const ROWS_AT_ONCE = 100;
/** Members of one guild. */
const MAX_MEMBERS = 1_000_000;
/** Steps that may wait before the next members are held back. */
const MAX_STEPS = 10;

/** The sync under way, whose rows belong to no guild yet and must not be deleted. */
let storing: MemberStore | null = null;

/**
 * The members of a guild that a sync brings. Only one store is active: creating one drops its predecessor.
 */
export class MemberStore {
  readonly #guildId: string;
  readonly #steps: MemberAnswer[][] = [];
  #work: Promise<void> | null = null;
  #failure: unknown = null;
  #from = 0;
  #count = 0;
  #taken = 0;
  #isDropped = false;

  /** `guildId` is the platform's identifier. */
  constructor(guildId: string) {
    storing?.drop();
    storing = this;
    this.#guildId = guildId;
  }

  /** The number of its first row; 0 while it has none. */
  get from(): number {
    return this.#from;
  }

  /** True while enough steps wait to be stored. */
  isBusy(): boolean {
    return this.#steps.length > MAX_STEPS;
  }

  /** Takes members, and stores them when their turn comes. Throws BadAnswer if they are too many. */
  add(members: MemberAnswer[]): void {
    if (this.#isDropped || this.#failure !== null) return;
    this.#taken += members.length;
    if (this.#taken > MAX_MEMBERS)
      throw new BadAnswer(`The bot's answer is too large: a guild may have ${MAX_MEMBERS} members`);
    for (let at = 0; at < members.length; at += ROWS_AT_ONCE)
      this.#steps.push(members.slice(at, at + ROWS_AT_ONCE));
    this.#work ??= this.#store();
  }

  /** Makes the stored rows the members of the guild, and returns their number. Throws 404. */
  async commit(): Promise<number> {
    try {
      await this.#work;
      if (this.#failure !== null) throw this.#failure;
      await transact(() => {
        if (this.#isDropped) return;
        const { id } = guildThere(this.#guildId);
        giveMembers().run(this.#from, this.#from === 0 ? 0 : lastRow(), id);
      });
      return this.#count;
    } finally {
      this.drop();
    }
  }

  /** Forgets everything that doesn't belong to the guild yet. */
  drop(): void {
    this.#isDropped = true;
    this.#steps.length = 0;
    if (storing === this) storing = null;
    deleteStrayMembers().catch((error) =>
      log.warn("members that are no guild's could not be deleted", describeError(error)),
    );
  }

  async #store(): Promise<void> {
    try {
      for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
        const members = step;
        await transact(() => {
          if (!this.#isDropped) this.#storeStep(members);
        });
      }
    } catch (error) {
      this.#failure = error;
      this.#steps.length = 0;
    } finally {
      if (this.#failure === null) this.#work = null;
    }
  }

  #storeStep(members: MemberAnswer[]): void {
    const { members_from, members_to } = guildThere(this.#guildId);
    this.#from ||= lastRow() + 1;
    for (const member of members) {
      const before = rowsOf().all(member.user_id, members_from, members_to, this.#from);
      // Of a member that is named twice the last record counts.
      const twice = before.find(({ row }) => row >= this.#from);
      if (twice) deleteRow(twice.row);
      else this.#count++;
      insertMember(before[0]?.id ?? newId(), member);
    }
    mergeIndexes();
  }
}

const lastNumber = statement(() =>
  sqlite.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'community_members'"),
);

/** The highest row number that was ever given to a member. */
const lastRow = (): number => lastNumber().get()?.seq ?? 0;

const giveMembers = statement(() =>
  sqlite.prepare<unknown, [from: number, to: number, guild: string]>(
    "UPDATE community_guilds SET members_from = ?, members_to = ? WHERE id = ?",
  ),
);

/** A user as a member of the guild so far, and of the sync that is storing. */
const rowsOf = statement(() =>
  sqlite.prepare<{ row: number; id: string }, [string, number, number, number]>(
    `SELECT row, id FROM community_members
     WHERE user_id = ?1 AND (+row BETWEEN ?2 AND ?3 OR +row >= ?4) ORDER BY row`,
  ),
);

// --- Rows and their indexes --------------------------------------------------------------------------------

const memberRow = statement(() =>
  insertInto("community_members", [
    ...["id", "user_id", "username", "discriminator", "global_name", "nickname", "avatar", "bot", "system"],
    ...["joined_at", "premium_since", "deaf", "mute", "pending", "communication_disabled_until", "roles"],
  ]),
);
const namesRow = statement(() => insertInto("community_member_names", ["row", "bot", "names"]));
const trigrams = statement(() => insertInto("community_member_trigrams", ["rowid", "names"]));
const roleWords = statement(() => insertInto("community_member_roles", ["rowid", "roles"]));

function insertMember(id: string, member: MemberAnswer): void {
  const { bot, username, global_name, nickname, roles } = member;
  const row = Number(memberRow().run({ ...member, id, roles: JSON.stringify(roles) }).lastInsertRowid);
  const names = foldNames([username, global_name, nickname]);
  namesRow().run({ row, bot, names });
  trigrams().run({ rowid: row, names });
  roleWords().run({ rowid: row, roles: roles.join(" ") });
}

const deletions = statement(() =>
  [
    "community_members WHERE row",
    "community_member_names WHERE row",
    "community_member_trigrams WHERE rowid",
    "community_member_roles WHERE rowid",
  ].map((where) => sqlite.prepare<unknown, [number]>(`DELETE FROM ${where} = ?`)),
);

function deleteRow(row: number): void {
  for (const deletion of deletions()) deletion.run(row);
}

/** Pages of an index that one merge writes: small enough to be quick. */
const MERGED_PAGES = 8;

const merges = statement(() =>
  ["community_member_trigrams", "community_member_roles"].map((index) =>
    sqlite.prepare<unknown, [number]>(`INSERT INTO ${index}(${index}, rank) VALUES ('merge', ?)`),
  ),
);
const changes = statement(() => sqlite.prepare<{ n: number }, []>("SELECT total_changes() AS n"));

/** Merges some of the rows that were written to the indexes last. */
const mergeIndexes = () => {
  for (const merge of merges()) merge.run(MERGED_PAGES);
};

/**
 * Merges some of everything in the indexes. Returns true if there was anything to merge
 * (sqlite.org/fts5.html, section 6.8).
 */
function mergeAll(): boolean {
  const worked = merges().filter((merge) => {
    const before = changes().get()?.n ?? 0;
    merge.run(-MERGED_PAGES);
    return (changes().get()?.n ?? 0) - before >= 2;
  });
  return worked.length > 0;
}

// --- Deleting ----------------------------------------------------------------------------------------------

let deleting: Promise<void> | null = null;

/** True while the indexes may hold deleted rows: they take room, and slow searches down. */
let hasDeleted = true;

/**
 * Deletes, in steps, the members that belong to no guild: of former syncs, of interrupted ones, of deleted
 * guilds.
 */
export function deleteStrayMembers(): Promise<void> {
  deleting ??= deleteStrays().finally(() => {
    deleting = null;
  });
  return deleting;
}

async function deleteStrays(): Promise<void> {
  let found = 0;
  do {
    found = await transact(() => {
      const rows = strayRows();
      rows.forEach(deleteRow);
      return rows.length;
    });
    if (found > 0) hasDeleted = true;
  } while (found > 0);
  while (hasDeleted && storing === null) hasDeleted = await transact(mergeAll);
}

const ranges = statement(() =>
  sqlite.prepare<{ members_from: number; members_to: number }, []>(
    "SELECT members_from, members_to FROM community_guilds WHERE members_to > 0 ORDER BY members_from",
  ),
);
const rowsBetween = statement(() =>
  sqlite.prepare<{ row: number }, [number, number, number]>(
    "SELECT row FROM community_members WHERE row > ? AND row < ? ORDER BY row LIMIT +?",
  ),
);

/** Some rows that belong neither to a guild nor to the sync that is storing. */
function strayRows(): number[] {
  let last = 0;
  const end = { members_from: storing?.from || Number.MAX_SAFE_INTEGER, members_to: 0 };
  for (const { members_from, members_to } of [...ranges().all(), end]) {
    const strays = rowsBetween().all(last, members_from, ROWS_AT_ONCE);
    if (strays.length > 0) return strays.map(({ row }) => row);
    last = members_to;
  }
  return [];
}
