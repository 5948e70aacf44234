import type { Point } from "./thin";

/** Things that a file tells of its track beside the positions. */
export interface About {
  /** The name of the device or the trip. */
  name: string;
}

/** Writes a track as text, part by part; a piece may go on in the next part. */
export type Writer = (about: About, parts: AsyncIterable<Point[]>) => AsyncGenerator<string>;
