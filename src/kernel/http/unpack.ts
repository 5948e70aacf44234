import type { Transform } from "node:stream";

/**
 * Sends pieces through a decoder of compression, and gives what comes out, of which the caller must bound the amount. The
 * next piece is asked for when the last one is used up. All that comes before a fault is given before it is thrown, which a
 * pipeline of streams would not do: it drops what is in its buffers.
 */
export async function* unpack(
  pieces: AsyncIterable<Uint8Array>,
  decoding: Transform,
): AsyncGenerator<Uint8Array> {
  let failure: Error | null = null;
  let wake: () => void = () => {};
  const something = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  decoding.on("error", (error) => {
    failure = error;
    wake();
  });
  for (const name of ["readable", "end", "close"]) decoding.on(name, () => wake());

  async function* untilDone(isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = decoding.read() as Uint8Array | null;
      if (piece !== null) yield piece;
      else if (failure) throw failure;
      else if (isDone()) return;
      else await something();
    }
  }

  try {
    for await (const piece of pieces) {
      let isTaken = false;
      decoding.write(piece, () => {
        isTaken = true;
        wake();
      });
      yield* untilDone(() => isTaken);
    }
    decoding.end();
    yield* untilDone(() => decoding.readableEnded || decoding.destroyed);
  } finally {
    decoding.destroy();
  }
}
