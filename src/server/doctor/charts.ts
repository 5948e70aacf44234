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
      warning(
        "charts",
        `map.charts (${directory}) does not exist, so the built-in map alone is shown; mount or create it`,
      ),
    ];
  if (charts.size === 0 && faults.length === 0)
    return [ok("charts", `none in ${directory}, so the built-in map alone is shown`)];
  const count = `${charts.size} ${charts.size === 1 ? "chart" : "charts"} in ${directory}`;
  return [
    ...(charts.size > 0 ? [ok("charts", count)] : []),
    ...faults.map(({ file, reason }) => warning("charts", `${file} ${reason}`)),
  ];
}
