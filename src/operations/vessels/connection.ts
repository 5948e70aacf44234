import { log } from "../../kernel/logs/log";
import { MINUTE, SECOND } from "../../kernel/time/clock";

/**
 * Keeps up a connection to a source of vessel positions: made anew when it is lost or hangs, with growing
 * pauses.
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
  lost: (why: string) => void;
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
const jittered = (pause: number): number => pause * (0.5 + Math.random() / 2);

/** The log's state while the source speaks, in place of the reason why it doesn't. */
const SPEAKING = "";

/**
 * Keeps up a connection. `source` names it in the log, which has one line when it speaks, one when it is
 * lost, and none for each further attempt that fails alike.
 */
export function keepConnection(source: string, open: Open, timing: LinkTiming): Kept {
  let isKept = false;
  let isOpen = false;
  /** Counts openings and closings: a link of an older count is over. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closeOpen: () => void = () => {};
  let failures = 0;
  let told: string | null = null;

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

    const lose = (why: string, isFailure = true) => {
      if (isOver()) return;
      const wasProven = spoke && performance.now() - openedAt >= timing.proven;
      failures = isFailure && !wasProven ? failures + 1 : 0;
      if (told !== why) log.warn("no vessel positions arrive", { source, why });
      told = why;
      close();
      reopen();
    };

    timer = setTimeout(() => lose("it does not answer"), timing.connect);
    const link: Link = {
      opened() {
        if (isOver()) return;
        isOpen = true;
        openedAt = performance.now();
        clearTimeout(timer);
        // A source with nothing to say is retried soon: the silence was a pause already.
        timer = setTimeout(() => lose("it is silent", false), timing.silence);
      },
      heard() {
        if (isOver()) return;
        timer?.refresh();
        spoke = true;
        if (told !== SPEAKING) log.info("vessel positions arrive", { source });
        told = SPEAKING;
      },
      lost: (why) => lose(why),
    };
    try {
      const closeOwn = open(link);
      if (isOver()) closeOwn();
      else closeOpen = closeOwn;
    } catch (error) {
      // The class alone: a message would quote the address.
      lose((error as Error).name);
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
