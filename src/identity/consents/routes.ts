import { Elysia } from "elysia";
import { errors, NoContent, Page } from "../../kernel/http/answers";
import { page, pageQuery, pageRequest } from "../../kernel/http/envelopes";
import { IdParams, query, t } from "../../kernel/http/schema";
import { sessionActor } from "../access/actor";
import { guard } from "../access/guard";
import { Consent } from "./schema";
import { listConsents, revokeConsent } from "./service";

const path = "/v1/users/me/consents";
const DEFAULT_LIMIT = 20;

export const consentRoutes = new Elysia({ prefix: path, tags: ["Consents"] })
  .use(guard)
  .get(
    "",
    ({ actor, query, request }) => {
      const asked = pageRequest(query, DEFAULT_LIMIT);
      const { userId } = sessionActor(actor).caller;
      return page(path, asked, listConsents(userId, asked), request);
    },
    {
      access: "session",
      ...query(t.Object(pageQuery(DEFAULT_LIMIT))),
      response: { 200: Page("ConsentPage", Consent) },
      detail: {
        operationId: "listOwnConsents",
        summary: "List the caller's consents",
        description:
          "The applications that may act for the caller, and what each may do, newest first; those of the installation itself, for which nobody is asked, among them.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await revokeConsent(sessionActor(actor), params.id);
      set.status = 204;
    },
    {
      access: "session",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "revokeOwnConsent",
        summary: "Take a consent back",
        description:
          "Ends all tokens of the application for the caller at once, and the connections that were opened with them; the caller's sockets hear `oauthConsentRevoked`. The application may ask for consent again.",
      },
    },
  );
