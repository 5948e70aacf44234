import { Elysia } from "elysia";
import { clientOf, letStall, letWait } from "../../kernel/client";
import { errors, query } from "../../kernel/schema";
import { countUnsent, SHARED } from "../../kernel/unsent";
import { guard } from "../access/guard";
import { ownId } from "../users/service";
import { listLogs } from "./logs";
import { Archive, DEFAULT_LOGS, ExportLogs, LogsQuery } from "./schema";
import { exportData } from "./service";

const archive = (content: ReadableStream<Uint8Array> | null, headers: Record<string, string>) =>
  new Response(content, { headers: { "content-type": "application/zip", ...headers } });

export const exportRoutes = new Elysia({ prefix: "/v1/user/export", tags: ["Personal data"] })
  .use(guard)
  .get(
    "",
    async ({ caller, request }) => {
      // HEAD asks about the answer, and must do nothing (RFC 9110, section 9.3.2).
      ownId(caller);
      if (request.method === "HEAD") return archive(null, {});
      // A large account takes longer than the server waits elsewhere; a client that takes nothing of it is
      // cut off.
      countUnsent(request, SHARED);
      letWait(request);
      const { name, content } = await exportData(caller, clientOf(request));
      letStall(request);
      return archive(content, { "content-disposition": `attachment; filename="${name}"` });
    },
    {
      access: "authenticated",
      response: { 200: Archive, ...errors(400, 403, 429) },
      detail: {
        operationId: "exportOwnPersonalData",
        summary: "Export own personal data",
        description:
          "All that is kept about the owner of the session or the API key, as a ZIP archive: `data.json` for programs, `report.pdf` to read, in the user's language, and `README.txt`. Secrets are not in it. 429 while another export of the same user is made, 403 for a caller who lost permissions meanwhile.",
      },
    },
  )
  .get(
    "/logs",
    ({ caller, query }) => listLogs(ownId(caller), query.limit ?? DEFAULT_LOGS, query.offset ?? 0),
    {
      access: "authenticated",
      ...query(LogsQuery),
      response: { 200: ExportLogs },
      detail: {
        operationId: "listOwnExports",
        summary: "List own exports",
        description: "The exports that the owner of the session or the API key made, newest first.",
      },
    },
  );
