import { render } from "preact";
import "./looks";

const root = document.getElementById("app");
if (!root) throw new Error("the page has no element #app");
root.textContent = "";
render(<p class="alone">Fairlead</p>, root);
