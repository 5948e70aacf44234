import { localeQuery } from "../../kernel/http/accept";
import { oneOf, out, record, t } from "../../kernel/http/schema";

export const ExaminationQuery = t.Object({ locale: localeQuery("`title` and `message`") });

const Finding = record(
  "Finding",
  {
    check: out.string("The part that was looked at; the same in every language", "disk"),
    title: out.string("Its name for readers", "Disk"),
    verdict: oneOf(
      ["ok", "warning", "problem"],
      "A problem needs mending, a warning deserves a thought",
      "ok",
    ),
    message: out.string("The fact, and the remedy", "40 GB are free"),
  },
  "A finding of the doctor",
);

export const Examination = record(
  "Examination",
  {
    examined_at: out.time("When the installation was looked at"),
    problems: t.Integer({ minimum: 0, description: "Number of problems", examples: [0] }),
    warnings: t.Integer({ minimum: 0, description: "Number of warnings", examples: [1] }),
    findings: t.Array(Finding, { description: "One for each part that was looked at" }),
  },
  "The findings of `fairlead doctor`",
);
export type Examination = (typeof Examination)["static"];
