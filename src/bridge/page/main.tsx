import { render } from "preact";
import { soundAlarms } from "./alarms";
import { followAlerts } from "./alerts";
import { followAnchorWatches } from "./anchors";
import { App } from "./app";
import { comeBack } from "./elsewhere";
import { followFleet } from "./fleet";
import "./looks";

const root = document.getElementById("app");
if (!root) throw new Error("the page has no element #app");
root.textContent = "";
void comeBack();
followFleet();
followAlerts();
soundAlarms();
followAnchorWatches();
render(<App />, root);
