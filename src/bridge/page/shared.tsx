import { render } from "preact";
import "./looks";
import { follow } from "./shared/link";
import { SharedPage } from "./shared/SharedPage";

const root = document.getElementById("app");
if (!root) throw new Error("the page has no element #app");
root.textContent = "";
// Another link that is opened in the same window is another page.
addEventListener("hashchange", () => location.reload());
void follow();
render(<SharedPage />, root);
