import { log } from "../logs/log";
import { MINUTE, SECOND } from "../time/clock";
import { alike, type Bilingual } from "../values/bilingual";

/**
 * Keeps up a connection to a source that speaks by itself, such as a receiver on board: made anew when it is
 * lost or hangs, with growing pauses.
 */

/** All in milliseconds. */
export interface LinkTiming {
  /** Time for connecting. */
  connect: number;
  /**
   * Silence after which the connection counts as hung. An anchored ship reports every 3 minutes (ITU-R
   * M.1371-5, Annex 1, table 1), and a connection renewed after 4 is back before vessels are dropped after
   * 10.
   */
  silence: number;
  /** The pause before the second attempt. It doubles with each further one, up to the longest. */
  firstPause: number;
  longestPause: number;
  /** A connection that lasted so long starts with the first pause again when it is lost. */
  proven: number;
}

export const LINK_TIMING: LinkTiming = {
  connect: 15 * SECOND,
  silence: 4 * MINUTE,
  firstPause: SECOND,
  longestPause: MINUTE,
  proven: MINUTE,
};

/** Reports of a source about the connection that it opened. Once that is closed, they are ignored. */
export interface Link {
  opened: () => void;
  /** A message came that makes sense. */
  heard: () => void;
  /** The connection is gone, or must go: `why` is for the operator and quotes nothing of the messages. */
  lost: (why: Bilingual) => void;
}

/** Opens a connection, and returns the function that closes it. */
export type Open = (link: Link) => () => void;

export interface Kept {
  /** Begins to connect, unless that was begun already. */
  connect: () => void;
  /** Closes the connection that is open, and opens another after the first pause. */
  renew: () => void;
  disconnect: () => void;
  isOpen: () => boolean;
}

/** Between half of a pause and the whole, so that not everybody is back at the same moment. */
export const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);

/** Hears of the state of a feed, at each message that makes sense and at each attempt that failed. */
export interface Told {
  speaks: () => void;
  fails: (why: Bilingual) => void;
}

/** The watchdog's words for a connection on which nothing comes, and for one that is not made. */
export const SILENT = { en: "it is silent", de: "die Verbindung bleibt stumm" };
const MUTE = { en: "it does not answer", de: "es kommt keine Antwort" };

/** Words for a connection that the other side has ended. */
export const closedWith = (code: number): Bilingual => ({
  en: `it closed the connection with ${code}`,
  de: `die Verbindung wurde von der Gegenseite geschlossen (${code})`,
});

/** Words for a message that is longer than one can be. */
export const OVERLONG = { en: "it sent more than a message can be", de: "eine Nachricht war zu lang" };

/** The log's state while a source speaks, in place of the reason why it doesn't. */
const SPEAKING = "";

/**
 * Tells the log: one line when the source speaks, one when it is lost, and none for each further attempt that
 * fails alike. `what` is what should arrive, `source` the name of the source.
 */
export function toldInLog(what: string, source: string): Told {
  let told: string | null = null;
  return {
    speaks() {
      if (told !== SPEAKING) log.info(`${what} arrive`, { source });
      told = SPEAKING;
    },
    fails(why) {
      if (told !== why.en) log.warn(`no ${what} arrive`, { source, why: why.en });
      told = why.en;
    },
  };
}

/** Keeps up a connection, once `connect` was called. */
export function keepConnection(tell: Told, open: Open, timing: LinkTiming): Kept {
  let isKept = false;
  let isOpen = false;
  /** Counts openings and closings: a link of an older count is over. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closeOpen: () => void = () => {};
  let failures = 0;

  const close = () => {
    turn++;
    clearTimeout(timer);
    isOpen = false;
    closeOpen();
    closeOpen = () => {};
  };

  const reopen = () => {
    const pause = timing.firstPause * 2 ** Math.min(Math.max(0, failures - 1), 30);
    timer = setTimeout(attempt, jittered(Math.min(pause, timing.longestPause)));
  };

  const attempt = () => {
    const own = ++turn;
    const isOver = () => turn !== own;
    let openedAt = 0;
    let spoke = false;

    const lose = (why: Bilingual, isFailure = true) => {
      if (isOver()) return;
      const wasProven = spoke && performance.now() - openedAt >= timing.proven;
      failures = isFailure && !wasProven ? failures + 1 : 0;
      tell.fails(why);
      close();
      reopen();
    };

    timer = setTimeout(() => lose(MUTE), timing.connect);
    const link: Link = {
      opened() {
        if (isOver()) return;
        isOpen = true;
        openedAt = performance.now();
        clearTimeout(timer);
        // A source with nothing to say is retried soon: the silence was a pause already.
        timer = setTimeout(() => lose(SILENT, false), timing.silence);
      },
      heard() {
        if (isOver()) return;
        timer?.refresh();
        spoke = true;
        tell.speaks();
      },
      lost: (why) => lose(why),
    };
    try {
      const closeOwn = open(link);
      if (isOver()) closeOwn();
      else closeOpen = closeOwn;
    } catch (error) {
      // The class alone: a message would quote the address.
      lose(alike((error as Error).name));
    }
  };

  return {
    connect() {
      if (isKept) return;
      isKept = true;
      attempt();
    },
    renew() {
      failures = 0;
      close();
      reopen();
    },
    disconnect() {
      isKept = false;
      failures = 0;
      close();
    },
    isOpen: () => isOpen,
  };
}
