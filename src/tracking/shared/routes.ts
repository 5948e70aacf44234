import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { Track } from "../tracks/schema";
import { sharedLimit } from "./limit";
import { Shared, SharedTrackQuery } from "./schema";
import { shared, sharedTrack } from "./service";

const path = "/v1/shared";

const WITH_TOKEN =
  "Send the token of the link, which follows the # of its address, as `Authorization: Share <token>`; no other credential is needed or looked at. The same 404 for one that is wrong, ended or revoked. At most 60 requests a minute from one address.";

export const sharedRoutes = new Elysia({ prefix: path, tags: ["Links"] })
  .use(guard)
  .get("", async ({ request }) => single(await shared(request), path), {
    open: { limit: sharedLimit },
    response: { 200: Single(Shared), ...errors(404) },
    detail: {
      operationId: "getShared",
      summary: "Get what a link shows",
      description: `The devices of a link, and of each the newest position that it shows: late by its delay, rounded, and never one in a hidden zone, in whose place the last one outside is shown. ${WITH_TOKEN}`,
    },
  })
  .get("/track", async ({ request, query }) => single(await sharedTrack(request, query), `${path}/track`), {
    open: { limit: sharedLimit },
    ...SharedTrackQuery,
    response: { 200: Single(Track), ...errors(404, 503) },
    detail: {
      operationId: "getSharedTrack",
      summary: "Get the track that a link shows",
      description: `The track of a device within the span of a link of the level \`history\`; any other gets the 404 of a wrong one. All figures are those of the positions that the link shows. Behind hidden positions a new piece begins. \`device_id\` is required for a link to several devices. 503 when too many tracks are being read. ${WITH_TOKEN}`,
    },
  });
