import {
  change,
  characters,
  name,
  nullable,
  oneOf,
  optional,
  out,
  record,
  t,
} from "../../kernel/http/schema";
import { webAddress } from "../../kernel/http/web-address";
import { LOCALES } from "../../kernel/values/bilingual";
import { Schedule } from "../schedules/schema";
import { NTFY_SERVER, TARGET_KINDS } from "./kinds";

const kind = oneOf(TARGET_KINDS, "The way that it goes; decides which of the other fields it has");
const localeWords = "Language of the texts";

const shown = {
  id: out.uuid("Identifier"),
  name: out.string("Name", "Anna's phone"),
  kind,
  url: nullable(
    out.uri("Address that a webhook is posted to; null for other kinds", "https://hooks.example.org/boat"),
  ),
  to: nullable(out.email("Address that emails go to; null for other kinds", "crew@example.org")),
  server_url: nullable(out.uri("The ntfy server; null for other kinds", NTFY_SERVER)),
  topic: nullable(
    out.string("Topic of ntfy, or of the MQTT broker; null for other kinds", "boat-alarms-7f3a"),
  ),
  chat_id: nullable(out.string("Chat of Telegram; null for other kinds", "-1001234567890")),
  has_token: out.boolean("Whether a token of ntfy or a bot's token is stored", false),
  former_secret_until: nullable(
    out.time(
      "Time until which a webhook is signed with its former secret too, and after several rotations with the newest of them; null if it isn't",
    ),
  ),
  is_active: out.boolean("Whether anything is sent to it"),
  is_silent: out.boolean(
    "Whether nothing is sent because whoever said where it leads may not read alerts any more; to let it speak again, somebody who may has to set where it leads",
    false,
  ),
  is_default: out.boolean("Whether it is used where no targets are named", false),
  quiet: nullable({ ...Schedule, description: "Times at which alarms alone are sent; the rest waits" }),
  locale: oneOf(LOCALES, localeWords),
  created_at: out.time("When it was created"),
  updated_at: out.time("When it was last changed"),
};

export const NotificationTarget = record(
  "NotificationTarget",
  shown,
  "A place that alerts are sent to, without its secrets",
);
export type NotificationTarget = (typeof NotificationTarget)["static"];

export const CreatedTarget = record(
  "CreatedNotificationTarget",
  {
    ...shown,
    secret: nullable(
      out.string(
        "The secret that a webhook is signed with; shown only once, null for other kinds",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3Nd3Rj5bV0k=",
      ),
    ),
  },
  "A target with its new secret: the only time that it is shown",
);
export type CreatedTarget = (typeof CreatedTarget)["static"];

const token = (description: string, pattern: string, example: string) =>
  t.String({
    pattern,
    maxLength: 255,
    "x-expected": "must be a token as the service gave it",
    description,
    examples: [example],
  });

/** Fields by kind; the service refuses those of another kind. */
const url = webAddress("For `webhook`: address to post to", "https://hooks.example.org/boat");
const to = t.String({
  format: "email",
  maxLength: 254,
  description: "For `email`: the address; nobody has to prove it, and emails name who asked for them",
  examples: ["crew@example.org"],
});
const serverUrl = webAddress("For `ntfy`: the server; the public one by default", NTFY_SERVER);
const topic = characters({
  minLength: 1,
  maxLength: 512,
  description:
    "For `ntfy`: the topic, of 1 to 64 letters, digits, hyphens and underscores; on a public server whoever knows it reads along. For `mqtt`: the topic at the broker of `mqtt.url`, such as `boat/alarms`",
  examples: ["boat-alarms-7f3a"],
});
const ntfyToken = token(
  "For `ntfy`: an access token, where the topic needs one",
  "^[!-~]{1,255}$",
  "tk_3mbq3vd4jzbgjy0fn1cp9t8k1y6eq",
);
const botToken = token(
  "For `telegram`: the bot's token",
  "^[0-9]{1,20}:[-_A-Za-z0-9]{20,200}$",
  "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4",
);
const chatId = t.String({
  pattern: "^(?:-?[0-9]{1,20}|@[A-Za-z0-9_]{4,64})$",
  maxLength: 65,
  "x-expected": "must be the number of a chat as a string, or @name of a channel",
  description: "For `telegram`: the chat's number, or @name of a public channel",
  examples: ["-1001234567890"],
});
const isActive = t.Boolean({ description: "false switches it off", examples: [true] });
const isDefault = t.Boolean({ description: "Uses it where no targets are named", examples: [false] });
const quiet = optional({
  ...Schedule,
  description: "Times at which alarms alone are sent; null for none. What waits is sent at their end",
});

export const NewTarget = t.Object(
  {
    name: name("Name", "Anna's phone"),
    kind,
    url: t.Optional(url),
    to: t.Optional(to),
    server_url: t.Optional(serverUrl),
    topic: t.Optional(topic),
    token: t.Optional(ntfyToken),
    bot_token: t.Optional(botToken),
    chat_id: t.Optional(chatId),
    is_active: t.Optional(isActive),
    is_default: t.Optional(isDefault),
    quiet,
    locale: t.Optional(oneOf(LOCALES, `${localeWords}; the caller's by default`)),
  },
  {
    title: "NewNotificationTarget",
    examples: [{ name: "Bridge", kind: "webhook", url: "https://hooks.example.org/boat", is_default: true }],
  },
);
export type NewTarget = (typeof NewTarget)["static"];

export const TargetChange = change("NotificationTargetChange", {
  name: t.Optional(name("Name", "Anna's tablet")),
  url: t.Optional(url),
  to: t.Optional(to),
  server_url: t.Optional(serverUrl),
  topic: t.Optional(topic),
  token: optional({ ...ntfyToken, description: `${ntfyToken.description}; null forgets it` }),
  bot_token: t.Optional(botToken),
  chat_id: t.Optional(chatId),
  is_active: t.Optional(isActive),
  is_default: t.Optional(isDefault),
  quiet,
  locale: t.Optional(oneOf(LOCALES, localeWords)),
});
export type TargetChange = (typeof TargetChange)["static"];
