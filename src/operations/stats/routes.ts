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
      description: "How much there is of everything. The figures are read once a minute at most.",
    },
  });
