import { Elysia } from "elysia";
import { guard } from "../../identity/access/guard";
import { errors, NoContent, Single } from "../../kernel/http/answers";
import { single } from "../../kernel/http/envelopes";
import { IdParams, t } from "../../kernel/http/schema";
import { NewTripCategory, TripCategory, TripCategoryChange } from "./schema";
import { createCategory, deleteCategory, getCategory, listCategories, updateCategory } from "./service";

const path = "/v1/trip-categories";

export const categoryRoutes = new Elysia({ prefix: path, tags: ["Trip categories"] })
  .use(guard)
  .get("", () => listCategories(), {
    access: "trip_categories:read",
    response: { 200: t.Array(TripCategory) },
    detail: {
      operationId: "listTripCategories",
      summary: "List trip categories",
      description: "All categories by `sort_order`, then by name. `parent_id` makes a tree of them.",
    },
  })
  .get("/:id", ({ params }) => single(getCategory(params.id), `${path}/${params.id}`), {
    access: "trip_categories:read",
    params: IdParams,
    response: { 200: Single(TripCategory), ...errors(404) },
    detail: {
      operationId: "getTripCategory",
      summary: "Get a trip category",
      description: "One category by its identifier.",
    },
  })
  .post(
    "",
    async ({ actor, body, set }) => {
      const category = await createCategory(actor, body);
      set.status = 201;
      return single(category, `${path}/${category.id}`);
    },
    {
      access: "trip_categories:write",
      body: NewTripCategory,
      response: { 201: Single(TripCategory), ...errors(409) },
      detail: {
        operationId: "createTripCategory",
        summary: "Create a trip category",
        description:
          "Creates a category at the top, or below the one that `parent_id` names. There are at most 1,000 of them, with 4 MiB of text in all (409).",
      },
    },
  )
  .patch(
    "/:id",
    async ({ actor, params, body }) =>
      single(await updateCategory(actor, params.id, body), `${path}/${params.id}`),
    {
      access: "trip_categories:write",
      params: IdParams,
      body: TripCategoryChange,
      response: { 200: Single(TripCategory), ...errors(404, 409) },
      detail: {
        operationId: "changeTripCategory",
        summary: "Change a trip category",
        description:
          "Changes the fields that are sent; at least one is required, and null clears an optional one.",
      },
    },
  )
  .delete(
    "/:id",
    async ({ actor, params, set }) => {
      await deleteCategory(actor, params.id);
      set.status = 204;
    },
    {
      access: "trip_categories:delete",
      params: IdParams,
      response: { 204: NoContent, ...errors(404) },
      detail: {
        operationId: "deleteTripCategory",
        summary: "Delete a trip category",
        description: "Its children move to the top. Trips and templates stay, without it.",
      },
    },
  );
