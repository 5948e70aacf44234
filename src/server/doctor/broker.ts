import { config } from "../../configuration/config";
import { isLoopback } from "../../kernel/http/client";
import { isServed } from "../../kernel/process/data-lock";
import { type Finding, ok, problem, warning } from "./findings";
import { runningServices, untold } from "./running";

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
        warning(CHECK, {
          en: `mqtt.url is ${protocol}//, so mqtt.password travels in clear text; use mqtts:// or wss://`,
          de: `mqtt.url ist ${protocol}//, also geht mqtt.password unverschlüsselt durch das Netz; nimm mqtts:// oder wss://`,
        }),
      ]
    : [];
}

async function checkConnection(): Promise<Finding> {
  if (!isServed())
    return ok(CHECK, {
      en: "whether it takes what it gets shows once the server runs",
      de: "ob er annimmt, was er bekommt, zeigt sich, sobald der Server läuft",
    });
  const broker = await runningServices("mqtt");
  if (typeof broker === "string") return untold(CHECK, broker);
  const { status, protocol, waiting, trouble } = broker;
  const backlog = {
    en: `${waiting} ${waiting === 1 ? "change waits" : "changes wait"} for it`,
    de: waiting === 1 ? "1 Änderung wartet auf ihn" : `${waiting} Änderungen warten auf ihn`,
  };
  return status === "up"
    ? ok(CHECK, {
        en: `connected by MQTT ${protocol}, ${backlog.en}`,
        de: `über MQTT ${protocol} verbunden, ${backlog.de}`,
      })
    : problem(CHECK, {
        en: `${trouble?.en}; ${backlog.en}. Check mqtt.url, mqtt.username and the broker's log`,
        de: `${trouble?.de}; ${backlog.de}. Prüfe mqtt.url, mqtt.username und das Protokoll des Brokers`,
      });
}
