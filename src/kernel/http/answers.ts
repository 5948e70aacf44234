import type { TSchema } from "@sinclair/typebox";
import { ofKind, out, record, t, uncopied } from "./schema";

/** The schemas of whole answers: records, lists and pages in their envelopes, errors, files. */

export const SelfLink = record(
  "SelfLink",
  { self: t.String({ description: "Root-relative URL of this answer", examples: ["/v1/…"] }) },
  "Address of this answer",
);

/** The single-record envelope: `data` and `_links.self` (rule H1). */
export const Single = <T extends TSchema>(schema: T) => t.Object({ data: schema, _links: SelfLink });

/**
 * The answer of a busy route, which is sent as it is and not held against its schema at each request: the suite does that, for live
 * answers of every route.
 */
export const unchecked = <T extends TSchema>(schema: T) => ({ ...uncopied(schema), noValidate: true });

const Link = (description: string, example: string) => t.String({ description, examples: [example] });

export const PageLinks = record(
  "PageLinks",
  {
    self: Link("This page", "/v1/…?page=2&limit=10"),
    first: Link("The first page", "/v1/…?page=1&limit=10"),
    last: Link("The last page", "/v1/…?page=5&limit=10"),
    prev: t.Optional(Link("The page before, where there is one", "/v1/…?page=1&limit=10")),
    next: t.Optional(Link("The page after, where there is one", "/v1/…?page=3&limit=10")),
  },
  "Root-relative URLs that keep the request's filters",
);

const Pagination = record(
  "Pagination",
  {
    page: out.integer("This page, counted from 1", 2),
    limit: out.integer("Records a page", 10),
    total: out.integer("Records in all pages", 42),
    total_pages: out.integer("Pages; 0 when there is no record", 5),
  },
  "Position of a page in its list",
);

const ListLinks = record(
  "ListLinks",
  {
    ...t.Partial(PageLinks).properties,
    self: t.String({ description: "Root-relative URL of this answer", examples: ["/v1/…"] }),
  },
  "Address of this answer and, for a page or a list that was cut, of the pages around it",
);

/** A list that is called `data`, whole or a page of it: see lists.ts. The document knows it as `title`. */
export const List = <T extends TSchema>(title: `${string}Listing`, schema: T) =>
  t.Object(
    {
      data: t.Array(schema, { description: "The records" }),
      pagination: t.Optional(Pagination),
      _links: ListLinks,
    },
    { title, description: "A list, whole or a page of it" },
  );

/** A page: `data`, `pagination` and `_links` (rule H4). The document knows it as `title`. */
export const Page = <T extends TSchema>(title: `${string}Page`, schema: T) =>
  t.Object(
    {
      data: t.Array(schema, { description: "The records of this page" }),
      pagination: Pagination,
      _links: PageLinks,
    },
    { title, description: "A page of a list" },
  );

export const ErrorBody = t.Object(
  {
    error: t.String({ description: "Short name of the error", examples: ["NotFound"] }),
    message: t.String({ description: "What went wrong, for a person", examples: ["Trip not found"] }),
    details: t.Optional(
      t.Array(
        t.Object({
          path: t.String({ description: "JSON pointer into the input", examples: ["/latitude"] }),
          message: t.String({ description: "What is wrong there", examples: ["must be a number"] }),
        }),
        { description: "The invalid fields, with a ValidationError" },
      ),
    ),
  },
  { title: "ErrorBody", description: "The body of every answer that isn't a success" },
);

/** The statuses of a route's own errors; those that follow from its marks are added by the document. */
export function errors<
  const S extends 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 426 | 429 | 500 | 501 | 503,
>(...statuses: S[]): Record<S, typeof ErrorBody> {
  return Object.fromEntries(statuses.map((status) => [status, ErrorBody])) as Record<S, typeof ErrorBody>;
}

export const Done = record(
  "Done",
  { success: out.boolean("true"), message: out.string("What was done", "Role assigned") },
  "A change that has no record of its own",
);

/** A body that isn't JSON. */
export const binary = (contentType: string, description: string, ...headers: string[]) =>
  ofKind<Response>("Ignorable", { description, "x-content-type": contentType, "x-headers": headers });

/** A file to save. */
export const file = (contentType: string, description: string) =>
  binary(contentType, description, "Content-Disposition");

/** The body of a request that is a file of one of these types, as the document shows it: the route reads it itself. */
export const fileBody = (types: readonly string[], description: string) => ({
  required: true,
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string" as const } }])),
});

export const NoContent = t.Void({ description: "Done; the body is empty" });

export const Message = record(
  "Message",
  { message: out.string("What was done", "Signed out") },
  "A plain answer",
);
