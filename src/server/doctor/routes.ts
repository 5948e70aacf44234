import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { localeOf } from "../../kernel/http/accept";
import { errors, Single } from "../../kernel/http/answers";
import { giveSeconds } from "../../kernel/http/client";
import { single } from "../../kernel/http/envelopes";
import { query } from "../../kernel/http/schema";
import { examination } from "./examination";
import { Examination, ExaminationQuery } from "./schema";

const path = "/v1/admin/doctor";

/** Seconds that an examination may take: it reads through the whole database. */
const PATIENCE = 200;

export const doctorRoutes = new Elysia({ tags: ["Health and information"] }).use(guard).get(
  path,
  async ({ actor, query, request }) => {
    giveSeconds(request, PATIENCE);
    return single(await examination(localeOf(query.locale, actor.client.acceptLanguage)), path);
  },
  {
    access: "settings:read",
    ...query(ExaminationQuery),
    response: { 200: Single(Examination), ...errors(503) },
    detail: {
      operationId: "examineInstallation",
      summary: "Examine the installation",
      description:
        "What `fairlead doctor` finds: configuration, permissions of files, master key, database, disk, clock, limits, memory, backups and the services that are configured, each with what to do. It reads through the whole database, which may take a minute where that is large; the findings are kept for a minute. In English or German.",
    },
  },
);
