import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "../../kernel/crypto/id";
import { renderPdf } from "../../kernel/pdf/render";
import { UNFINISHED } from "../../kernel/process/disk";
import { WORKERS } from "../../workers";
import type { Summary } from "./summary";

/** Making the archive, in a file without a name, since it may be large and must leave nothing behind. */

export interface Archive {
  file: FileHandle;
  /** Bytes. */
  size: number;
}

export interface ArchiveParts {
  /** `data.json`, piece by piece. */
  json: Iterable<string>;
  summary: Summary;
  readme: string;
  /** Date of the entries; epoch milliseconds. */
  at: number;
}

/** Makes an archive in a directory, and leaves no file there. Throws errors of the disk and the report. */
export async function makeArchive(
  directory: string,
  { json, summary, readme, at }: ArchiveParts,
): Promise<Archive> {
  const report = await renderPdf(WORKERS.report, summary);
  const { default: JSZip } = await import("jszip");
  const zip = new JSZip();
  const date = new Date(at);
  zip.file("README.txt", readme, { date });
  zip.file("report.pdf", report, { date });
  zip.file("data.json", Readable.from(inTurns(json), { objectMode: false }), { date });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${newId()}${UNFINISHED}`);
  const file = await open(path, "wx+", 0o600);
  try {
    // From here on the file goes when its handle is closed or the power fails.
    await rm(path);
    await pipeline(zip.generateNodeStream({ streamFiles: true, compression: "DEFLATE" }), into(file));
    return { file, size: (await file.stat()).size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes to a file and leaves it open: the streams of node:fs close it on a failure, and hide the reason. */
const into = (file: FileHandle): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      file.appendFile(chunk).then(() => done(), done);
    },
  });

/** Yields the pieces one by one, letting requests in between. */
async function* inTurns(pieces: Iterable<string>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield Buffer.from(piece);
    await new Promise((resume) => setImmediate(resume));
  }
}

const CHUNK = 65_536;

/** The bytes of an archive, to be read once. Its file is gone after the last one or a cancellation. */
export function streamOf({ file, size }: Archive, done: () => void): ReadableStream<Uint8Array> {
  let at = 0;
  const end = async () => {
    done();
    await file.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
        at += bytesRead;
        if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
        if (bytesRead > 0 && at < size) return;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      await end();
    },
    cancel: end,
  });
}
