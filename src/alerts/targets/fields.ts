import { config } from "../../configuration/config";
import { invalid } from "../../kernel/errors/errors";
import { AddressRefused, checkDestination } from "../../kernel/http/permitted-address";
import { hasQueryOrFragment, hrefOf } from "../../kernel/http/web-address";
import { topicObjection } from "../../mqtt/broker/topics";
import { FIELDS, FIELDS_OF, KIND_WORDS, NTFY_SERVER, type TargetKind } from "./kinds";
import type { NewTarget, TargetChange } from "./schema";
import type { TargetSettings } from "./table";

/** The fields that say where a target leads: which ones a kind has, and what is permitted in them. */

type Given = Pick<TargetChange, (typeof FIELDS)[number]>;

/** Refuses fields of another kind. Throws 400. */
export function checkFields(kind: TargetKind, given: Given): void {
  for (const field of FIELDS)
    if (given[field] !== undefined && FIELDS_OF[kind][field] === undefined)
      throw invalid(`/${field}`, `is no field of ${KIND_WORDS[kind]}`);
}

/** Refuses a new target without a field that its kind needs. Throws 400. */
export function checkComplete(kind: TargetKind, given: NewTarget): void {
  for (const field of FIELDS)
    if (FIELDS_OF[kind][field] === true && given[field] === undefined)
      throw invalid(`/${field}`, `is required for ${KIND_WORDS[kind]}`);
}

/** Refuses a target for which this installation has no way out. Throws 400. */
export function checkWay(kind: TargetKind): void {
  if (kind === "mqtt" && config["mqtt.url"] === null)
    throw invalid("/kind", "needs an MQTT broker, which the operator sets as mqtt.url");
}

const NTFY_TOPIC = /^[-_A-Za-z0-9]{1,64}$/;

/** First levels of topics that mean something to other programs, or are published by this one. */
const TAKEN_TOPICS = ["homeassistant", "owntracks"];

/** Refuses a topic that its kind does not take. Throws 400. */
export function checkTopic(kind: TargetKind, { topic }: Given): void {
  if (topic === undefined) return;
  if (kind === "ntfy" && !NTFY_TOPIC.test(topic))
    throw invalid("/topic", "must be 1 to 64 letters, digits, hyphens and underscores");
  if (kind !== "mqtt") return;
  const objection = topicObjection(topic);
  if (objection !== null) throw invalid("/topic", objection);
  const taken = [...TAKEN_TOPICS, config["mqtt.prefix"]].find((first) => `${topic}/`.startsWith(`${first}/`));
  if (taken !== undefined)
    throw invalid("/topic", `must not be below ${taken}/, whose topics have a meaning`);
}

/** Refuses addresses to which nothing may be sent from here. Throws 400. */
export async function checkAddresses({ url, server_url }: Given): Promise<void> {
  if (url !== undefined) await checkAddress("/url", url);
  if (server_url === undefined) return;
  if (hasQueryOrFragment(new URL(server_url)))
    throw invalid("/server_url", "must have no query and no fragment");
  await checkAddress("/server_url", server_url);
}

async function checkAddress(path: string, address: string): Promise<void> {
  try {
    await checkDestination(new URL(address));
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid(path, error.message);
    throw error;
  }
}

/** The open settings of a new target. */
export const settingsOf = (kind: TargetKind, given: Given): TargetSettings => ({
  ...(kind === "ntfy" && { server_url: NTFY_SERVER }),
  ...changedSettings(given),
});

/** The open settings that a change brings, in the form in which they are stored. */
export const changedSettings = ({ url, to, server_url, topic, chat_id }: Given): TargetSettings => ({
  ...(url !== undefined && { url: hrefOf(url) }),
  ...(to !== undefined && { to }),
  ...(server_url !== undefined && { server_url: hrefOf(server_url).replace(/\/+$/, "") }),
  ...(topic !== undefined && { topic }),
  ...(chat_id !== undefined && { chat_id }),
});
