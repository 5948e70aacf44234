import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { binary, errors } from "../../kernel/http/answers";
import { CONTENT_TYPE } from "../../kernel/logs/metrics";
import { readMetrics } from "./service";

export const metricsRoutes = new Elysia({ tags: ["Health and information"] }).use(guard).get(
  "/metrics",
  ({ request }) =>
    new Response(readMetrics(request.headers.get("authorization")), {
      headers: { "content-type": CONTENT_TYPE },
    }),
  {
    open: { someNeedCredential: true },
    response: { 200: binary(CONTENT_TYPE, "Prometheus' text format, version 0.0.4"), ...errors(401, 404) },
    detail: {
      operationId: "metrics",
      summary: "Metrics",
      description:
        "Metrics in the format of Prometheus: requests by route and status, latencies, points, sockets, queues, sizes, ages. 404 unless `metrics.enabled` is set. Where `metrics.token` is set, send it as the bearer token.",
    },
  },
);
