import { nullable, out } from "../../kernel/http/schema";

/** The field that tells whose own a record is. */
export const boxId = (which: string) =>
  nullable(out.uuid(`The box that it belongs to, ${which}; null for one of this server`));
