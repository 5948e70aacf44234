import { forgetTarget as forgetInRules } from "../rules/service";
import { decideMentions } from "../targets/service";
import { forgetTarget as forgetInWatches } from "./service";

/** Lets rules and anchor watches forget a target in the transaction that deletes it: targets stand below both. */
export function startMentions(): void {
  decideMentions((id) => {
    forgetInRules(id);
    forgetInWatches(id);
  });
}
