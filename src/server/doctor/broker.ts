import { config } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { isServed } from "../../kernel/process/data-lock";
import { type Finding, ok, problem, warning } from "./findings";
import { runningServices } from "./running";

/** The doctor's look at the MQTT broker. Its address is tried with the other addresses outside. */

const CHECK = "MQTT broker";

/** Asks a server that runs about its broker: no credential is sent from here. */
export async function checkBroker(): Promise<Finding[]> {
  const url = config["mqtt.url"];
  if (url === null) return [];
  return [...checkSecrecy(new URL(url)), await checkConnection()];
}

function checkSecrecy({ protocol, hostname }: URL): Finding[] {
  const isInClear = protocol === "mqtt:" || protocol === "ws:";
  return isInClear && config["mqtt.password"] !== null && !isLoopback(hostname.replace(/^\[|\]$/g, ""))
    ? [
        warning(
          CHECK,
          `mqtt.url is ${protocol}//, so mqtt.password travels in clear text; use mqtts:// or wss://`,
        ),
      ]
    : [];
}

async function checkConnection(): Promise<Finding> {
  if (!isServed()) return ok(CHECK, "whether it takes what it gets shows once the server runs");
  const broker = (await runningServices())?.mqtt;
  if (!broker)
    return warning(
      CHECK,
      "the server doesn't tell of it; restart the server, so that it reads the configuration",
    );
  const { status, protocol, waiting, trouble } = broker;
  const backlog = `${waiting} ${waiting === 1 ? "change waits" : "changes wait"} for it`;
  return status === "up"
    ? ok(CHECK, `connected by MQTT ${protocol}, ${backlog}`)
    : problem(CHECK, `${trouble}; ${backlog}. Check mqtt.url, mqtt.username and the broker's log`);
}
