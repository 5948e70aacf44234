import { Elysia } from "elysia";
import { config } from "../../configuration/config";
import { guard, type RateRule } from "../../identity/access/guard";
import { errors } from "../../kernel/http/answers";
import { PageSession } from "../schema";
import { keepSession, requirePage } from "../session";
import { FirstAdministrator, FirstStart } from "./schema";
import { firstStart, makeFirstAdministrator, renewCode, requireNear } from "./service";

const limit: RateRule = { name: "first_start", rate: () => config["rate_limit.login"] };

const NEAR =
  "For the pages of this server, by an address of its network or that of `server.public_url`: needs the header `X-Fairlead-Page: 1`.";

function requireOwnPage(request: Request): void {
  requirePage(request);
  requireNear(request);
}

/** The first administrator of an installation. */
export const firstStartRoutes = new Elysia({ prefix: "/bridge/first-start", tags: ["Bridge"] })
  .use(guard)
  .get(
    "",
    ({ request }) => {
      requireOwnPage(request);
      return firstStart();
    },
    {
      open: true,
      response: { 200: FirstStart, ...errors(401, 403) },
      detail: {
        operationId: "getFirstStart",
        summary: "Ask if there is an administrator",
        description: `Tells if the first administrator has still to be made, and where the server shows the code for that. ${NEAR}`,
      },
    },
  )
  .post(
    "",
    async ({ actor, body, request, set }) => {
      requireOwnPage(request);
      return keepSession(request, set.headers, await makeFirstAdministrator(actor, body));
    },
    {
      open: { limit },
      body: FirstAdministrator,
      response: { 200: PageSession, ...errors(401, 403, 409) },
      detail: {
        operationId: "makeFirstAdministrator",
        summary: "Make the first administrator",
        description: `Makes a user with the role Super Admin, by the code that the server shows on its terminal or in a file of its data directory, and signs in: only while there is no super admin. A code is good for 30 minutes and five tries. ${NEAR}`,
      },
    },
  )
  .post(
    "/code",
    ({ request }) => {
      requireOwnPage(request);
      return renewCode();
    },
    {
      open: { limit },
      response: { 200: FirstStart, ...errors(401, 403, 409) },
      detail: {
        operationId: "renewFirstStartCode",
        summary: "Make another code for the first administrator",
        description: `Has the server show another code, once the last one has ended or its tries are used up. ${NEAR}`,
      },
    },
  );
