import { AppError } from "../errors/errors";
import { SECOND } from "../time/clock";
import { addressBlock, clientAddress, cutSoon, isAnswered } from "./client";

/** Memory that requests hold for as long as their clients like, bounded for each address and in all. */

export interface Bounds {
  /** Bytes for one address, as limits count addresses. */
  ofAddress: number;
  /** Bytes for all of them. */
  inAll: number;
  /** Message to a request that finds no room. */
  refusal: string;
  /** Headers of that refusal, beside Retry-After. */
  headers?: Record<string, string>;
}

/** The memory of one request. */
export interface Hold {
  readonly request: Request;
  /** Empty until a ledger counts it. */
  block: string;
  readonly since: number;
  bytes: number;
  /** Ends the request at once, with the refusal. Without it the connection is cut within seconds. */
  readonly end?: (refusal: AppError) => void;
}

/** Time for which a hold is safe from being cut to make room for its own address. */
const GRACE = 10 * SECOND;
/** Scanning all holds takes a while if they are many, so scans keep this distance. */
const LOOK_INTERVAL = SECOND / 10;

/** Seconds after which a refused client may find room: a cut takes effect within four. */
const RETRY_SECONDS = 5;

/** Part of an address's bound up to which a newcomer finds room however much others hold. */
const SURE_SHARE = 1 / 8;
/** Part of the bound for all that is freed at least when room is made: it takes a look at all addresses. */
const FREED_AT_ONCE = 1 / 32;
/** Part of the bound for all that may be held on top of it, for seconds, by connections that are being cut. */
const LEAVING_SHARE = 1 / 2;

interface Block {
  bytes: number;
  /** In order of arrival. */
  holds: Set<Hold>;
}

/**
 * Counts the memory that requests hold. Where room runs out, the addresses that hold most lose their oldest
 * holds to newcomers that hold little, and a newcomer that holds much is refused: otherwise a few clients that
 * never finish would take the room for good.
 */
export class Ledger {
  readonly #bounds: () => Bounds;
  readonly #holds = new Set<Hold>();
  readonly #byBlock = new Map<string, Block>();
  #bytes = 0;
  /** Holds that were cut, until their connections have ended. */
  readonly #leaving = new Set<Hold>();
  #leavingBytes = 0;
  #lookedAt = 0;

  /** The bounds may depend on the configuration. */
  constructor(bounds: () => Bounds) {
    this.#bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.#holds.size === 0 && this.#leaving.size === 0;
  }

  /** Throws 503 if there is no room. A request larger than a bound is still served, alone. */
  take(request: Request, bytes: number, end?: Hold["end"]): Hold {
    const block = addressBlock(clientAddress(request));
    this.#requireRoom(block, bytes);
    const hold = { request, block, bytes, since: performance.now(), ...(end && { end }) };
    this.#add(hold);
    return hold;
  }

  /** Throws 503 if there is no room for the additional bytes. */
  grow(hold: Hold, bytes: number): void {
    const own = this.#byBlock.get(hold.block);
    if (!own?.holds.has(hold)) return;
    this.#requireRoom(hold.block, bytes, hold);
    // The client may have left, as the check above noticed.
    if (!own.holds.has(hold)) return;
    hold.bytes += bytes;
    own.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Counts holds that nobody counted so far. Refuses none, and cuts as many as the bounds ask for. */
  adopt(holds: Iterable<Hold>): void {
    for (const hold of holds) {
      if (isAnswered(hold.request)) continue;
      hold.block = addressBlock(clientAddress(hold.request));
      this.#add(hold);
    }
    for (const own of [...this.#byBlock.values()])
      for (const hold of own.holds) {
        if (own.bytes <= this.#bounds().ofAddress) break;
        this.#cut(hold);
      }
    if (this.#bytes > this.#bounds().inAll) this.#makeRoom(0);
  }

  release(hold: Hold): void {
    if (this.#leaving.delete(hold)) this.#leavingBytes -= hold.bytes;
    const own = this.#byBlock.get(hold.block);
    if (!own || !this.#holds.delete(hold)) return;
    own.holds.delete(hold);
    own.bytes -= hold.bytes;
    this.#bytes -= hold.bytes;
    if (own.holds.size === 0) this.#byBlock.delete(hold.block);
  }

  /** Releases holds of requests that are completely answered, or whose clients have left. */
  releaseAnswered(): void {
    this.#releaseAnswered(this.#holds);
    this.#releaseAnswered(this.#leaving);
  }

  #releaseAnswered(holds: Iterable<Hold>): void {
    for (const hold of holds) if (isAnswered(hold.request)) this.release(hold);
  }

  #add(hold: Hold): void {
    const own = this.#byBlock.get(hold.block) ?? { bytes: 0, holds: new Set() };
    this.#byBlock.set(hold.block, own);
    this.#holds.add(hold);
    own.holds.add(hold);
    own.bytes += hold.bytes;
    this.#bytes += hold.bytes;
  }

  /** `growing` is the hold that needs the room, if it has one already. */
  #requireRoom(block: string, bytes: number, growing?: Hold): void {
    const { ofAddress, inAll } = this.#bounds();
    const mine = growing?.bytes ?? 0;
    const held = () => this.#byBlock.get(block)?.bytes ?? 0;
    const isOver = (bytesHeld: number, bound: number) => bytesHeld > mine && bytesHeld + bytes > bound;
    if (isOver(held(), ofAddress)) {
      this.#releaseAnswered(this.#byBlock.get(block)?.holds ?? []);
      if (isOver(held(), ofAddress)) this.#cutOldest(block, bytes, growing);
      if (isOver(held(), ofAddress)) throw this.#refusal();
    }
    if (!isOver(this.#bytes, inAll)) return;
    if (performance.now() - this.#lookedAt > LOOK_INTERVAL) {
      this.releaseAnswered();
      this.#lookedAt = performance.now();
      if (!isOver(this.#bytes, inAll)) return;
    }
    if (this.#leavingBytes >= inAll * LEAVING_SHARE) throw this.#refusal();
    const wanted = held() + bytes;
    const isSure = held() === mine || wanted <= ofAddress * SURE_SHARE;
    // The margin keeps addresses that hold much from cutting each other by turns.
    if (!isSure && wanted * 2 > this.#mostHeld()) throw this.#refusal();
    this.#makeRoom(bytes, growing);
  }

  #mostHeld(): number {
    let most = 0;
    for (const { bytes } of this.#byBlock.values()) if (bytes > most) most = bytes;
    return most;
  }

  /** Cuts holds of the addresses that hold most, the oldest first, until there is room for so many bytes. */
  #makeRoom(bytes: number, spared?: Hold): void {
    const { inAll } = this.#bounds();
    const most = inAll - Math.max(bytes, inAll * FREED_AT_ONCE);
    const blocks = [...this.#byBlock.values()].sort((a, b) => b.bytes - a.bytes);
    for (let level = blocks[0]?.bytes ?? 0; level >= 1 && this.#bytes > most; level /= 2)
      for (const own of blocks)
        for (const hold of own.holds) {
          if (own.bytes < level || this.#bytes <= most) break;
          if (hold !== spared) this.#cut(hold);
        }
  }

  /** Cuts as many old holds of an address as it takes to free so many bytes, if they have had their time. */
  #cutOldest(block: string, bytes: number, spared?: Hold): void {
    let found = 0;
    for (const hold of this.#byBlock.get(block)?.holds ?? []) {
      if (found >= bytes || performance.now() - hold.since < GRACE) return;
      if (hold === spared) continue;
      found += hold.bytes;
      // One that doesn't end at once stays counted for its address, which would hold more than it may.
      if (hold.end) this.#cut(hold);
      else cutSoon(hold.request);
    }
  }

  #cut(hold: Hold): void {
    this.release(hold);
    if (hold.end) {
      hold.end(this.#refusal());
      return;
    }
    cutSoon(hold.request);
    this.#leaving.add(hold);
    this.#leavingBytes += hold.bytes;
  }

  #refusal(): AppError {
    const { refusal, headers } = this.#bounds();
    return new AppError("ServiceUnavailable", refusal, {
      headers: { "retry-after": String(RETRY_SECONDS), ...headers },
    });
  }
}
