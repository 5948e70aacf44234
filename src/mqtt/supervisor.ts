import { choseBroker, config } from "../configuration/config";
import { boundedFetch, jsonOf, OutboundError } from "../kernel/http/outbound";
import { log } from "../kernel/logs/log";
import { isObject } from "../kernel/values/json";

/** Home Assistant's supervisor, which tells an add-on the broker of the house (GET /services/mqtt of its API). */

const BOUNDS = { timeout: 10_000, maxBytes: 65_536 };

/**
 * Takes the broker from the supervisor of the configuration, unless `mqtt.url` names one. A house without a broker, or a supervisor
 * that doesn't answer, keeps nothing from the start: the log tells of it.
 */
export async function takeSupervisorsBroker(): Promise<void> {
  const supervisor = config["mqtt.supervisor"];
  if (supervisor === null || config["mqtt.url"] !== null) return;
  try {
    const headers = { authorization: `Bearer ${process.env.SUPERVISOR_TOKEN ?? ""}` };
    const url = `${supervisor.replace(/\/$/, "")}/services/mqtt`;
    const answer = await boundedFetch(url, { headers }, BOUNDS);
    // The answer to an add-on that may ask, in a house without a broker.
    if (answer.status === 400) return log.info("Home Assistant has no MQTT broker");
    if (!answer.ok) throw new OutboundError(`status ${answer.status}`);
    choseBroker(brokerOf(await jsonOf(answer)));
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    log.warn("the supervisor does not tell the MQTT broker; restart to ask again", { reason: error.message });
  }
}

/** The broker of an answer. Throws OutboundError for any other answer. */
function brokerOf(answer: unknown) {
  const data = isObject(answer) && isObject(answer.data) ? answer.data : {};
  const { host, port, ssl, username, password } = data;
  const address = `${ssl === true ? "mqtts" : "mqtt"}://${host}:${port}`;
  if (typeof host !== "string" || typeof port !== "number" || !URL.canParse(address))
    throw new OutboundError("an answer without a broker");
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return { url: address, username: text(username), password: text(password) };
}
