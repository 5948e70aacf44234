import { readFolder, unread } from "../../bridge/charts/folder";
import { config } from "../../configuration/config";
import { dataPath } from "../../kernel/process/data-dir";
import { type Finding, ok, warning } from "./findings";

/** The doctor's look at the operator's charts: each file that can't be shown, and why. */
export async function checkCharts(): Promise<Finding[]> {
  const directory = dataPath.charts();
  const { exists, charts, faults } = await readFolder(unread());
  for (const { archive } of charts.values()) archive.close();
  if (!exists && config["map.charts"] !== null)
    return [
      warning("charts", {
        en: `map.charts (${directory}) does not exist, so the built-in map alone is shown; mount or create it`,
        de: `map.charts (${directory}) gibt es nicht, also ist nur die eingebaute Karte zu sehen; hänge den Ordner ein oder lege ihn an`,
      }),
    ];
  if (charts.size === 0 && faults.length === 0)
    return [
      ok("charts", {
        en: `none in ${directory}, so the built-in map alone is shown`,
        de: `keine in ${directory}, also ist nur die eingebaute Karte zu sehen`,
      }),
    ];
  const isOne = charts.size === 1;
  const count = {
    en: `${charts.size} ${isOne ? "chart" : "charts"} in ${directory}`,
    de: `${charts.size} ${isOne ? "Karte" : "Karten"} in ${directory}`,
  };
  return [
    ...(charts.size > 0 ? [ok("charts", count)] : []),
    ...faults.map(({ file, reason }) =>
      warning("charts", { en: `${file} ${reason.en}`, de: `${file} ${reason.de}` }),
    ),
  ];
}
