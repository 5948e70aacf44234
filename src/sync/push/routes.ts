import { Elysia } from "elysia";
import { errors, fileBody } from "../../kernel/http/answers";
import { readBytes } from "../../kernel/http/body";
import { now } from "../../kernel/time/clock";
import { MOST_BYTES, MOST_HEADER } from "../batch/batch";
import { boxGuard, requireBox } from "../boxes/guard";
import { BATCH_TYPE, PushAnswer } from "./schema";
import { takePush } from "./service";

const TYPE = /^application\/octet-stream\s*(?:;|$)/i;

export const pushRoutes = new Elysia({ prefix: "/v1/sync/push", tags: ["Boxes"] }).use(boxGuard).post(
  "",
  async ({ request }) => {
    const heardAt = now();
    const body = await readBytes(request, TYPE, BATCH_TYPE, MOST_HEADER + MOST_BYTES);
    // The token may have ended while the box was sending.
    return takePush(requireBox(request), body, heardAt);
  },
  {
    box: true,
    response: { 200: PushAnswer, ...errors(400) },
    detail: {
      operationId: "pushOfBox",
      summary: "Send what a box keeps",
      description: `Takes a batch of rows of the box whose token it is, in the form that docs/sync.md describes, and answers how far each lane is held now. A batch is stored once, however often it comes; where one broke off, the box goes on behind the last acknowledged number. Rows that are refused, such as one whose identifier is this server's or another box's, are counted and block nothing.

A body has at most 256 KiB and its header, and makes at most 8 MiB once it is decompressed. Pushes of a box are taken one after another; where too many wait, 503 says when to try again. Neither the limit of writes nor \`server.max_body_bytes\` counts here.`,
      requestBody: fileBody([BATCH_TYPE], "The batch"),
    },
  },
);
