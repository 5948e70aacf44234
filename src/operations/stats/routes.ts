import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { PublicStats } from "./schema";
import { publicStats } from "./service";

export const statsRoutes = new Elysia({ prefix: "/v1/stats", tags: ["Statistics"] })
  .use(guard)
  .get("/public", () => publicStats(), {
    open: true,
    response: { 200: PublicStats },
    detail: {
      operationId: "getPublicStatistics",
      summary: "Get public statistics",
      description: "The number of records of each kind. The figures are updated at most once a minute.",
    },
  });
