import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { localeOf } from "../../kernel/http/accept";
import { query } from "../../kernel/http/schema";
import { ApiInfo, Health, HealthQuery, Liveness, Readiness } from "./schema";
import { apiInfo, health, readiness } from "./service";

/**
 * 503 tells a load balancer or `docker` the same as the body tells a person. A server that is degraded still
 * serves: no restart would mend it.
 */
const statusOf = (report: Health) => (report.status === "unhealthy" ? 503 : 200);

async function answerReadiness({ set }: { set: { status?: number | string } }): Promise<Readiness> {
  const report = await readiness();
  set.status = report.status === "ready" ? 200 : 503;
  return report;
}

const alive = { status: "alive" } as const;

const description =
  "Whether the server and its parts are well; the same from `/health` and `/v1/health`. 503 when the database does not answer or takes no writes, as on a full disk; `degraded` is 200: a source that is configured brings nothing, or something else that is configured fails, such as backups, and all else works. However often it is called, it writes to the database at most once in 5 seconds.";

const aliveDescription =
  "Whether the process answers; the same from `/health/live` and `/v1/health/live`. It checks nothing else: use it to decide whether to restart a process that hangs.";

const readyDescription =
  "Whether requests should be sent here; the same from `/health/ready` and `/v1/health/ready`. 503 while the server is stopping, and while the database takes no writes. The server migrates the database before it listens, so it is ready from its first answer on.";

export const healthRoutes = new Elysia({ tags: ["Health and information"] })
  .use(guard)
  .get(
    "/health",
    async ({ actor, query, set }) => {
      const report = await health("/health", localeOf(query.locale, actor.client.acceptLanguage));
      set.status = statusOf(report);
      return report;
    },
    {
      open: true,
      ...query(HealthQuery),
      response: { 200: Health, 503: Health },
      detail: { operationId: "healthRootPath", summary: "Health (root path)", description },
    },
  )
  .get(
    "/v1/health",
    async ({ actor, query, set }) => {
      const report = await health("/v1/health", localeOf(query.locale, actor.client.acceptLanguage));
      set.status = statusOf(report);
      return report;
    },
    {
      open: true,
      ...query(HealthQuery),
      response: { 200: Health, 503: Health },
      detail: { operationId: "health", summary: "Health", description },
    },
  )
  .get("/health/live", () => alive, {
    open: { atOnce: true },
    response: { 200: Liveness },
    detail: {
      operationId: "livenessRootPath",
      summary: "Liveness (root path)",
      description: aliveDescription,
    },
  })
  .get("/v1/health/live", () => alive, {
    open: { atOnce: true },
    response: { 200: Liveness },
    detail: { operationId: "liveness", summary: "Liveness", description: aliveDescription },
  })
  .get("/health/ready", answerReadiness, {
    open: true,
    response: { 200: Readiness, 503: Readiness },
    detail: {
      operationId: "readinessRootPath",
      summary: "Readiness (root path)",
      description: readyDescription,
    },
  })
  .get("/v1/health/ready", answerReadiness, {
    open: true,
    response: { 200: Readiness, 503: Readiness },
    detail: { operationId: "readiness", summary: "Readiness", description: readyDescription },
  })
  .get("/v1", ({ actor }) => apiInfo(actor.client), {
    open: { atOnce: true },
    response: { 200: ApiInfo },
    detail: {
      operationId: "apiAtGlance",
      summary: "The API at a glance",
      description: "Version, commit and date of the build, uptime, and how the server sees its client.",
    },
  });
