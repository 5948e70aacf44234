import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { ownId } from "../../identity/directory/users";
import { errors } from "../../kernel/http/answers";
import { letWait } from "../../kernel/http/client";
import { query } from "../../kernel/http/schema";
import { headOfStreamed } from "../../kernel/http/streamed";
import { countUnsent, SHARED } from "../../kernel/http/unsent";
import { DEFAULT_LOGS, ExportLogs, LogsQuery } from "../export-logs/schema";
import { listLogs } from "../export-logs/service";
import { Archive } from "./schema";
import { exportData } from "./service";

const ZIP = { "content-type": "application/zip" };

export const exportRoutes = new Elysia({ prefix: "/v1/user/export", tags: ["Personal data"] })
  .use(guard)
  .get(
    "",
    async ({ actor, request }) => {
      ownId(actor.caller);
      if (request.method === "HEAD") return headOfStreamed(ZIP);
      // A large account takes longer than the server waits elsewhere; a client that takes nothing of it is
      // cut off.
      countUnsent(request, SHARED);
      const { name, content } = await letWait(request, () => exportData(actor));
      return new Response(content, {
        headers: { ...ZIP, "content-disposition": `attachment; filename="${name}"` },
      });
    },
    {
      access: "session or key",
      response: { 200: Archive, ...errors(400, 403, 429) },
      detail: {
        operationId: "exportOwnPersonalData",
        summary: "Export the caller's personal data",
        description:
          "Everything that is kept about the owner of the session or the API key, as a ZIP archive: `data.json` for programs, `report.pdf` for people, in the user's language, and `README.txt`. Secrets are left out. 429 while another export of the same user is running, 403 for a caller who lost permissions meanwhile.",
      },
    },
  )
  .get(
    "/logs",
    ({ actor, query }) => listLogs(ownId(actor.caller), query.limit ?? DEFAULT_LOGS, query.offset ?? 0),
    {
      access: "session or key",
      ...query(LogsQuery),
      response: { 200: ExportLogs, ...errors(403) },
      detail: {
        operationId: "listOwnExports",
        summary: "List the caller's exports",
        description: "The exports that the owner of the session or the API key made, newest first.",
      },
    },
  );
