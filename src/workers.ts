/**
 * The files that run in threads of their own. They are listed here, at the top of the sources: bundled into
 * one executable, every module's URL is that of `main.ts`, and each worker is an entry point of its own
 * beside it.
 */
const at = (path: string): string => new URL(path, import.meta.url).href;

export const WORKERS = {
  backup: at("./server/backup/copy-worker.ts"),
  migration: at("./server/backup/migration-worker.ts"),
  logSheet: at("./tracking/log/sheet-worker.ts"),
  report: at("./personal-data/export/report-worker.ts"),
} as const;
