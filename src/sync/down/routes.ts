import { Elysia } from "elysia";
import { isKnown } from "../../kernel/http/etag";
import { t } from "../../kernel/http/schema";
import { boxGuard } from "../boxes/guard";
import { assignedSet, assignedTag } from "./assigned";
import { AssignedSet } from "./schema";

const Known = t.Void({ description: "The box has this set already", "x-headers": ["ETag"] });
const Answer = t.Object(AssignedSet.properties, {
  title: "AssignedSet",
  description: "The zones and alert rules that the shore hands to a box",
  "x-headers": ["ETag"],
});

export const downRoutes = new Elysia({ prefix: "/v1/sync/set", tags: ["Boxes"] }).use(boxGuard).get(
  "",
  ({ box, request, set }) => {
    const etag = `"${assignedTag(box.id).tag}"`;
    set.headers.etag = etag;
    set.headers["cache-control"] = "private, no-cache";
    if (isKnown(etag, request.headers.get("if-none-match"))) {
      set.status = 304;
      return;
    }
    return assignedSet(box.id);
  },
  {
    box: true,
    response: { 200: Answer, 304: Known },
    detail: {
      operationId: "getSetOfBox",
      summary: "Get the zones and rules of the box",
      description:
        "All zones and alert rules that are handed to the box whose token it is: it replaces by them whatever it was handed before. The answers to its pushes tell the tag of the newest set; asked again with `If-None-Match`, one that is unchanged is 304.",
    },
  },
);
