import { nullable, oneOf, out, record, t } from "../../kernel/http/schema";
import { STATUSES } from "../../outbox/words";
import { SEVERITIES } from "../kinds";
import { OCCASIONS } from "./words";

const note = nullable(
  out.string(
    "What to know of one that was delivered: that an email was only written to a file, as no mail server is configured",
    "email.transport is outbox: the email was written to a file on the server, and nobody got it",
  ),
);

export const Delivery = record(
  "Delivery",
  {
    id: out.uuid("Identifier; a webhook has it as `webhook-id`, the same at each attempt"),
    target_id: out.uuid("The target, which may be deleted since"),
    target_name: nullable(out.string("Name of the target; null once it is deleted", "Anna's phone")),
    alert_id: nullable(
      out.uuid("The alert; null for the test of a target, and for the head of the audit log"),
    ),
    type: oneOf(OCCASIONS, "The occasion"),
    severity: oneOf(SEVERITIES, "Severity of the alert", "alarm"),
    status: oneOf(
      STATUSES,
      "`waiting` for its first or next attempt; `delivered`; `failed` for good; `superseded`, since the alert was cleared before it went out; `cancelled`, since the target was switched off or deleted",
      "delivered",
    ),
    attempts: out.integer("Attempts so far", 1),
    next_attempt_at: nullable(out.time("Time of the next attempt; null unless it waits")),
    last_attempt_at: nullable(out.time("Time of the last attempt; null before the first")),
    response_status: nullable(
      out.integer("Status of the last answer; null where there was none, and for emails", 204),
    ),
    error: nullable(out.string("Reason why the last attempt failed", "no answer within 10 seconds")),
    note,
    duration_ms: nullable(out.integer("Milliseconds that the last attempt took", 84)),
    finished_at: nullable(out.time("Time from which it no longer waits")),
    created_at: out.time("Time of the occasion"),
  },
  "The telling of one target of one occasion",
);
export type Delivery = (typeof Delivery)["static"];

export const TestResult = record(
  "NotificationTest",
  {
    status: oneOf(["delivered", "failed"], "The end of the attempt"),
    response_status: nullable(out.integer("Status of the answer; null where there was none", 204)),
    error: nullable(out.string("Reason why it failed", "no answer within 10 seconds")),
    note,
    duration_ms: out.integer("Milliseconds that it took", 84),
  },
  "The outcome of a test; never what the other side said",
);
export type TestResult = (typeof TestResult)["static"];

export const MqttNotification = record(
  "MqttNotification",
  {
    id: out.uuid("Identifier of the delivery, the same at each attempt"),
    type: oneOf(OCCASIONS, "The occasion"),
    timestamp: out.time("Time of the occasion"),
    severity: oneOf(SEVERITIES, "Severity of the alert", "alarm"),
    title: out.string("The occasion in a line", "Van 3 left Depot"),
    message: out.string("The occasion in sentences", "Van 3 left Depot at 22:14 UTC."),
    data: t.Record(t.String(), t.Unknown(), {
      description:
        "`alert`, `rule`, `device`, `position` and `zone`, as a webhook has them; null for what whoever said where the target leads may not see. Of `audit.head` it has `audit` instead: `date`, `number` and `hash`",
      examples: [{ alert: null, rule: null, device: null, position: null, zone: null }],
    }),
  },
  "An occasion, as a target of the kind `mqtt` is told of it",
);
