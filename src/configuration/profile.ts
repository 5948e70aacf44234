import { availableParallelism } from "node:os";

/**
 * The sizes of the program's caches and bounds, by `performance.profile`. Whatever depends on the profile reads its number here,
 * when it is needed: modules may be loaded before the configuration.
 */

export type ProfileName = "standard" | "small";

export interface Profile {
  /** KiB of SQLite's pages in memory, allocated as needed. */
  pages: number;
  /**
   * Pages of 4 KiB in the write-ahead log after which they are copied into the database, within the commit of a request. The more there
   * are, the more often one was written several times and is copied once, and the longer that request waits.
   */
  pagesInLog: number;
  /** The place where SQLite sorts what an index is made of, and keeps temporary tables: of ten million positions half a gigabyte. */
  temporaryStore: "MEMORY" | "FILE";
  /**
   * Bytes that the garbage collector takes for the machine's memory; null for what it finds. It lets the heap grow by a part of
   * what it has before it collects, the more slowly the nearer the heap is to this.
   */
  collectorMemory: number | null;
  /** True for threads whose heap begins small. */
  smallThreads: boolean;
  /** Part of the rows that use cases may remember (kernel/db/transaction-cache.ts, and newest positions). */
  remembered: number;
  /** Password hashes computed at once; each takes 19 MiB. */
  hashesAtOnce: () => number;
  /** Tracks read at once. */
  tracksAtOnce: number;
  /** Positions of a track that are held at once, 65 bytes each; a longer one is reduced to its shape each time they are so many. */
  trackPositions: number;
  /** Imports at once, and of one user. */
  importsAtOnce: number;
  importsOfUser: number;
  /** Exports of personal data made at once. */
  exportsAtOnce: number;
  /** Large batches of boxes decoded at once; each makes up to 8 MiB, and objects several times as large. */
  largePushesAtOnce: number;
  /** Bytes of requests' bodies that are arriving: small ones and large ones, of an address and in all. */
  smallBodies: { ofAddress: number; inAll: number };
  largeBodies: { ofAddress: number; inAll: number };
  /** Bytes of large answers that wait for their clients, of an address and in all. */
  unsentAnswers: { ofAddress: number; inAll: number };
  /** Bytes of messages that wait for slow sockets, in all. */
  unsentMessages: number;
  /** Bytes of a bot's frames that wait for their turn. */
  waitingFrames: number;
  /** Open sockets; each takes up to 3 KB. */
  sockets: number;
}

const MEBIBYTE = 1024 * 1024;

const PROFILES: Record<ProfileName, Profile> = {
  standard: {
    // The upper levels of the indexes of ten million positions, and the pages read most.
    pages: 32_768,
    pagesInLog: 2_000,
    temporaryStore: "MEMORY",
    collectorMemory: null,
    smallThreads: false,
    remembered: 1,
    // One is computed and one stands ready, so that no core idles while the event loop waits for the disk.
    hashesAtOnce: () => 2 * availableParallelism(),
    tracksAtOnce: 3,
    trackPositions: 1_100_000,
    importsAtOnce: 4,
    importsOfUser: 2,
    exportsAtOnce: 2,
    largePushesAtOnce: 4,
    smallBodies: { ofAddress: 8 * MEBIBYTE, inAll: 32 * MEBIBYTE },
    largeBodies: { ofAddress: 16 * MEBIBYTE, inAll: 64 * MEBIBYTE },
    unsentAnswers: { ofAddress: 32 * MEBIBYTE, inAll: 128 * MEBIBYTE },
    unsentMessages: 256 * MEBIBYTE,
    waitingFrames: 64 * MEBIBYTE,
    sockets: 50_000,
  },
  // For 256 MiB, of which the program's own code takes 60 to 80 and an idle heap 40. Who needs more at a time waits or is refused.
  small: {
    // The upper levels of the indexes of a million positions. The kernel keeps the other pages of the file as long as there is room.
    pages: 6_144,
    pagesInLog: 1_000,
    temporaryStore: "FILE",
    collectorMemory: 192 * MEBIBYTE,
    smallThreads: true,
    // For 5,000 devices.
    remembered: 0.1,
    hashesAtOnce: () => 1,
    tracksAtOnce: 1,
    trackPositions: 300_000,
    importsAtOnce: 2,
    importsOfUser: 1,
    exportsAtOnce: 1,
    largePushesAtOnce: 1,
    smallBodies: { ofAddress: 2 * MEBIBYTE, inAll: 8 * MEBIBYTE },
    largeBodies: { ofAddress: 4 * MEBIBYTE, inAll: 16 * MEBIBYTE },
    unsentAnswers: { ofAddress: 8 * MEBIBYTE, inAll: 24 * MEBIBYTE },
    unsentMessages: 24 * MEBIBYTE,
    waitingFrames: 16 * MEBIBYTE,
    sockets: 10_000,
  },
};

/** The profile that counts. */
export let profile: Profile = PROFILES.standard;

/** Has the numbers of a profile count from now on. */
export function useProfile(name: ProfileName): void {
  profile = PROFILES[name];
}
