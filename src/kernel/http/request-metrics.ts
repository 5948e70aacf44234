import { Children, Counter, Histogram, type Labels, register, sample } from "../logs/metrics";

/** Requests by route as it is declared: as many labels as routes, whatever paths are requested. */

/** Seconds: from an answer out of memory to one that waits for another service. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

class Endpoint {
  readonly statuses = new Children<number, Counter>(() => new Counter());
  readonly latency = new Histogram(SECONDS);
}

const routes = new Children<string, Children<string, Endpoint>>(
  () => new Children<string, Endpoint>(() => new Endpoint()),
);

/**
 * Counts an answered request. `route` is the path as it is declared (`/v1/gps/:id`), empty for an unknown
 * path.
 */
export function countRequest(
  route: string,
  method: string,
  status: number,
  seconds: number | undefined,
): void {
  const endpoint = routes.of(route || "(none)").of(METHODS.has(method) ? method : "other");
  endpoint.statuses.of(status).add();
  if (seconds !== undefined) endpoint.latency.observe(seconds);
}

const eachEndpoint = (lines: (labels: Labels, endpoint: Endpoint) => string[]): string[] =>
  routes
    .entries()
    .flatMap(([route, methods]) =>
      methods.entries().flatMap(([method, endpoint]) => lines({ method, route }, endpoint)),
    );

register("fairlead_http_requests_total", "Requests answered, by route and status", "counter", () =>
  eachEndpoint((labels, { statuses }) =>
    statuses
      .entries()
      .map(([status, { value }]) => sample("fairlead_http_requests_total", { ...labels, status }, value)),
  ),
);
register(
  "fairlead_http_request_duration_seconds",
  "From a request's head to its answer, by route",
  "histogram",
  () =>
    eachEndpoint((labels, { latency }) => latency.lines("fairlead_http_request_duration_seconds", labels)),
);
