import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { withData } from "../../kernel/db/open-data";
import { transact } from "../../kernel/db/transactions";
import { AppError, badRequest } from "../../kernel/errors/errors";
import { isUuid } from "../../kernel/http/schema";
import { unpack } from "../../kernel/http/unpack";
import { isServed } from "../../kernel/process/data-lock";
import { reason } from "../../kernel/process/disk";
import { beginStop } from "../../kernel/process/lifecycle";
import { OperatorError, UsageError } from "../../kernel/process/operator";
import { print, printJson, sizeInWords } from "../../kernel/process/print";
import { stopSignals } from "../../kernel/process/signals";
import { SECOND } from "../../kernel/time/clock";
import { loadSystemConfig } from "../../runtime-settings/service";
import { isDevice } from "../ingest/journeys";
import { auditImport } from "./audit";
import type { ImportFile } from "./batches";
import type { Format } from "./reader";
import type { ImportReport } from "./schema";
import { takeFile } from "./service";
import type { Tally } from "./tally";

/** `fairlead import`. */

interface Values {
  device?: string;
  "dry-run"?: boolean;
  json?: boolean;
}

/** Imports a GPX or CSV file into the database, beside a server that may be running. Throws UsageError or OperatorError. */
export async function importIntoData(name: string, values: Values): Promise<void> {
  const deviceId = values.device?.toLowerCase();
  if (!deviceId || !isUuid(deviceId)) throw new UsageError("--device must be the identifier of a device");
  const path = resolve(name);
  const whole = sizeOf(path);
  const isDryRun = values["dry-run"] === true;
  const progress = new Progress(whole);
  const file = openFile(path, formatOf(path), progress);
  for (const signal of stopSignals()) process.on(signal, beginStop);
  const stopShowing = process.stderr.isTTY ? progress.show() : () => {};
  try {
    const report = await withData(async () => {
      await transact(loadSystemConfig);
      if (!isDevice(deviceId)) throw new OperatorError(`there is no device ${deviceId}`);
      return takeFile(file, deviceId, {
        isDryRun,
        beforeBatch: pacer(progress),
        audit: (report, isWhole) => auditImport(null, deviceId, file.format, report, isWhole),
      });
    });
    stopShowing();
    await (values.json ? printJson(report) : print(inWords(report, isDryRun)));
  } catch (error) {
    stopShowing();
    throw error instanceof AppError ? new OperatorError(`${path}: ${error.message}`) : error;
  }
}

function sizeOf(path: string): number {
  try {
    const found = statSync(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${reason(error)}`);
  }
  throw new OperatorError(`${path} is no file`);
}

/** The format by the name's ending. */
function formatOf(path: string): Format {
  const [, ending] = /\.(gpx|csv)(?:\.gz)?$/i.exec(path) ?? [];
  if (!ending) throw new UsageError("the file's name must end in .gpx or .csv, or in either and .gz");
  return ending.toLowerCase() as Format;
}

function openFile(path: string, format: Format, progress: Progress): ImportFile {
  const read = createReadStream(path);
  progress.stream = read;
  const isCompressed = path.toLowerCase().endsWith(".gz");
  const pieces = readable(path, read);
  return { format, charset: null, pieces: isCompressed ? unpacked(pieces) : pieces };
}

type Stream = ReturnType<typeof createReadStream>;

async function* readable(path: string, stream: Stream): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of stream) yield piece as Uint8Array;
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${reason(error)}`);
  }
}

async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* unpack(pieces, createGunzip());
  } catch (error) {
    if (error instanceof AppError || error instanceof OperatorError) throw error;
    throw badRequest("The file breaks off, or is not compressed by gzip");
  }
}

/** Shares of the time: beside a server, the command leaves it the database for as long as it took it itself. */
function pacer(progress: Progress): (tally: Tally) => Promise<void> {
  const isBesideServer = isServed();
  let ended = performance.now();
  return async (tally) => {
    progress.tally = tally;
    if (isBesideServer) await Bun.sleep(Math.min(SECOND, performance.now() - ended));
    ended = performance.now();
  };
}

class Progress {
  tally: Tally | null = null;
  stream: Stream | null = null;
  readonly #whole: number;

  constructor(whole: number) {
    this.#whole = whole;
  }

  /** Shows itself on the terminal until it is stopped. */
  show(): () => void {
    const timer = setInterval(() => {
      const stored = (this.tally?.stored ?? 0).toLocaleString("en");
      process.stderr.write(
        `\r\x1b[K${sizeInWords(this.stream?.bytesRead ?? 0)} of ${sizeInWords(this.#whole)}: ${stored} positions`,
      );
    }, SECOND / 2);
    return () => {
      clearInterval(timer);
      process.stderr.write("\r\x1b[K");
    };
  }
}

function inWords(report: ImportReport, isDryRun: boolean): string {
  const { positions, duplicates, rejected, rejections, from, to, distance_km, tracks } = report;
  const number = (value: number, one: string) =>
    `${value.toLocaleString("en")} ${one}${value === 1 ? "" : "s"}`;
  const lines = [
    `${isDryRun ? "Would import" : "Imported"} ${number(positions, "position")}; ${number(duplicates, "duplicate")}, ${rejected.toLocaleString("en")} rejected.`,
  ];
  if (from !== null) lines.push(`${number(tracks, "track")} from ${from} to ${to}, ${distance_km} km.`);
  for (const { line, reason } of rejections) lines.push(`Line ${line}: ${reason}`);
  if (rejected > rejections.length) lines.push(`… and ${rejected - rejections.length} more`);
  return lines.join("\n");
}
