import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { guard } from "../../identity/access/guard";
import { localeOf } from "../../kernel/http/accept";
import { errors, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { query } from "../../kernel/http/schema";
import { iso, isoOrNull } from "../../kernel/time/clock";
import type { Locale } from "../../kernel/values/bilingual";
import { backupsNow, beginBackup } from "./schedule";
import { Backups, BackupsQuery } from "./schema";

const path = "/v1/admin/backups";

async function shown(locale: Locale) {
  const { backups, startedAt, failure } = await backupsNow();
  const data: Backups = {
    backups: backups
      .toSorted((a, b) => b.time - a.time)
      .map(({ name, kind, time, bytes }) => ({ name, kind, made_at: iso(time), bytes })),
    interval_hours: config["backup.interval_hours"],
    keep: config["backup.keep"],
    started_at: isoOrNull(startedAt),
    failed_at: isoOrNull(failure?.at ?? null),
    error: failure?.why[locale] ?? null,
  };
  return single(data, path);
}

export const backupRoutes = new Elysia({ prefix: path, tags: ["Health and information"] })
  .use(guard)
  .get("", ({ actor, query }) => shown(localeOf(query.locale, actor.client.acceptLanguage)), {
    access: "settings:read",
    ...query(BackupsQuery),
    response: { 200: Single(Backups) },
    detail: {
      operationId: "listBackups",
      summary: "List the backups",
      description: "The backups in `backup.dir`, and whether one is being made or has failed.",
    },
  })
  .post(
    "",
    async ({ actor, query, set }) => {
      beginBackup();
      set.status = 202;
      return await shown(localeOf(query.locale, actor.client.acceptLanguage));
    },
    {
      access: "settings:write",
      ...query(BackupsQuery),
      response: { 202: Single(Backups), ...errors(409) },
      detail: {
        operationId: "beginBackup",
        summary: "Make a backup",
        description:
          "Begins to copy the database into `backup.dir`, while everything else goes on; the list shows it once it is whole. It counts as a scheduled one: the oldest beyond `backup.keep` is removed. 409 while another one is being made.",
      },
    },
  );
