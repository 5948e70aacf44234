import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { callerOf, callerOrNobody } from "../../identity/access/request-caller";
import { errors } from "../../kernel/http/answers";
import { addressBlock, clientAddress } from "../../kernel/http/client";
import { isKnown } from "../../kernel/http/etag";
import { path, t } from "../../kernel/http/schema";
import { countUnsent, LARGE } from "../../kernel/http/unsent";
import { MEDIA_TYPES } from "./formats";
import { ChartList, Tile, TileParams, TileQuery } from "./schema";
import { isOpen, listCharts, type Tile as TileFound, tileOf } from "./service";

const prefix = "/v1/charts";

const OF_OPERATOR =
  "The built-in map `coast` is open to anyone; the operator's charts need any session or API key.";

/** Answers with a tile. One whose address names its version never changes. */
function answer(request: Request, isPublic: boolean, asked: string | undefined, tile: TileFound): Response {
  const { version, content } = tile;
  const etag = `"${version}${content?.coding ? `-${content.coding}` : ""}"`;
  const who = isPublic ? "public" : "private";
  const headers: Record<string, string> = {
    etag,
    "cache-control": asked === version ? `${who}, max-age=31536000, immutable` : `${who}, no-cache`,
    vary: "Accept-Encoding, Origin",
  };
  if (isKnown(etag, request.headers.get("if-none-match")))
    return new Response(null, { status: 304, headers });
  if (!content) return new Response(null, { status: 204, headers });
  headers["content-type"] = MEDIA_TYPES[content.format];
  if (content.coding) headers["content-encoding"] = content.coding;
  if (request.method !== "HEAD" && content.bytes.length > LARGE) countUnsent(request, content.bytes.length);
  return new Response(content.bytes, { headers });
}

export const chartRoutes = new Elysia({ prefix, tags: ["Charts"] })
  .use(guard)
  .get(
    "",
    async ({ request }) => ({
      data: await listCharts(callerOrNobody(request)),
      _links: { self: prefix },
    }),
    {
      open: { someNeedCredential: true },
      response: { 200: ChartList, ...errors(401) },
      detail: {
        operationId: "listCharts",
        summary: "List charts",
        description: `The maps that can be drawn, whole and in the order of their names, the built-in one first. ${OF_OPERATOR} Without a credential the list has the built-in map alone. Files that are added to the folder \`map.charts\`, replaced or removed are seen within a second or two; those that can't be read are left out, and named in the log and by \`fairlead doctor\`.`,
      },
    },
  )
  .get(
    "/:name/:z/:x/:y",
    async ({ params: { name, ...place }, query: { v }, request }) => {
      if (!isOpen(name)) callerOf(request);
      const client = addressBlock(clientAddress(request));
      const tile = await tileOf(name, place, request.headers.get("accept-encoding"), client);
      return answer(request, isOpen(name), v, tile);
    },
    {
      open: { someNeedCredential: true },
      ...path(TileParams),
      query: TileQuery,
      response: {
        200: Tile,
        204: t.Void({ description: "Nothing is there; the body is empty", "x-headers": ["ETag"] }),
        304: t.Void({ description: "The client has this tile already", "x-headers": ["ETag"] }),
        ...errors(401, 404),
      },
      detail: {
        operationId: "getChartTile",
        summary: "Get a tile of a chart",
        description: `An image or a vector tile. 204 where the chart has nothing, 404 outside of its zooms and bounds. ${OF_OPERATOR} The address in the list has the version of the file (\`v\`), and its answers never change.`,
      },
    },
  );
