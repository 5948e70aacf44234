import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { clientOf } from "../../kernel/client";
import { ApiInfo, Health } from "./schema";
import { apiInfo, health } from "./service";

/** 503 tells a load balancer or `docker` what the body tells a person. */
const statusOf = (report: Health) => (report.status === "healthy" ? 200 : 503);

const description =
  "Whether the server and its parts are well; the same from `/health` and `/v1/health`. 503 when the database does not answer.";

export const healthRoutes = new Elysia({ tags: ["Health and information"] })
  .use(guard)
  .get(
    "/health",
    ({ set }) => {
      const report = health("/health");
      set.status = statusOf(report);
      return report;
    },
    {
      open: true,
      response: { 200: Health, 503: Health },
      detail: { summary: "Health (root path)", description },
    },
  )
  .get(
    "/v1/health",
    ({ set }) => {
      const report = health("/v1/health");
      set.status = statusOf(report);
      return report;
    },
    { open: true, response: { 200: Health, 503: Health }, detail: { summary: "Health", description } },
  )
  .get("/v1", ({ request }) => apiInfo(clientOf(request)), {
    open: true,
    response: { 200: ApiInfo },
    detail: {
      summary: "The API at a glance",
      description: "Version, uptime, and how the server sees its client.",
    },
  });
