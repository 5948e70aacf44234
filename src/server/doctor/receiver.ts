import { config } from "../../configuration/config";
import { isServed } from "../../kernel/process/data-lock";
import { dateInGerman } from "../../kernel/values/bilingual";
import { type Finding, ok, problem } from "./findings";
import { runningServices, untold } from "./running";

/** The doctor's look at the vessel's own receiver. Its address is tried with the other addresses outside. */

const CHECK = "own position";

/**
 * Checks the device of the positions, and asks a server that runs about its receiver. `knowsDevice` is null where
 * none is configured.
 */
export async function checkReceiver(knowsDevice: boolean | null): Promise<Finding[]> {
  const source = config["position.source"];
  if (source === "none") return [];
  const device = config["position.device"];
  if (knowsDevice === false)
    return [
      problem(CHECK, {
        en: `position.device is ${device}, which is no device, so no position is stored; set it to the id of one of GET /v1/devices, or leave it out`,
        de: `position.device ist ${device}, und dieses Gerät gibt es nicht, also wird keine Position gespeichert; setze die Kennung eines Gerätes (id in GET /v1/devices), oder lass die Einstellung weg`,
      }),
    ];
  if (!isServed())
    return [
      ok(CHECK, {
        en: `from ${source}; whether fixes come shows once the server runs`,
        de: `von ${source}; ob Positionen kommen, zeigt sich, sobald der Server läuft`,
      }),
    ];
  const position = await runningServices("position");
  if (typeof position === "string") return [untold(CHECK, position)];
  const { status, trouble, reconnects, last_fix_at } = position;
  const history =
    reconnects === 0
      ? { en: "", de: "" }
      : {
          en: `; reconnected ${reconnects === 1 ? "once" : `${reconnects} times`} since the start`,
          de: `; seit dem Start ${reconnects === 1 ? "einmal" : `${reconnects}-mal`} neu verbunden`,
        };
  const newest = last_fix_at === null ? null : dateInGerman(Date.parse(last_fix_at));
  return status === "up"
    ? [
        ok(CHECK, {
          en: `from ${source}, newest fix at ${last_fix_at}${history.en}`,
          de: `von ${source}, neueste Position ${newest}${history.de}`,
        }),
      ]
    : [
        problem(CHECK, {
          en: `no fix from ${source} since ${last_fix_at ?? "the start"}: ${trouble?.en}${history.en}; check the receiver, its antenna and position.url`,
          de: `keine Position von ${source} seit ${newest ?? "dem Start"}: ${trouble?.de}${history.de}; prüfe den Empfänger, seine Antenne und position.url`,
        }),
      ];
}
