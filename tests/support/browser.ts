import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryDirectory } from "./server";

/** Headless Chromium by its DevTools protocol (chromedevtools.github.io/devtools-protocol), as far as the tests need it. */

/** Debian's package, or what others call it; null where none is there that starts. */
export const chromium: string | null =
  ["chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null && Bun.spawnSync([path, "--version"]).success) ?? null;

// biome-ignore lint/suspicious/noExplicitAny: the protocol's results have as many shapes as it has methods
type Result = any;

/** How long a page may take to show what a test waits for. */
const PATIENCE = 40_000;

const FLAGS = [
  ...["--headless=new", "--remote-debugging-port=0", "--window-size=1280,1600", "--lang=en"],
  ...["--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-sync"],
  ...["--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage"],
  // Chromium's own sandbox refuses root, as which containers run; nothing but our own pages is opened.
  "--no-sandbox",
  // Whatever slips through the page's own rules finds no host.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

export class Browser {
  readonly #child: Subprocess<"ignore", "ignore", "pipe">;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, { resolve: (result: Result) => void; reject: (why: Error) => void }>();
  readonly #listeners = new Map<string, (method: string, params: Result) => void>();
  #calls = 0;

  private constructor(child: Subprocess<"ignore", "ignore", "pipe">, socket: WebSocket) {
    this.#child = child;
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, result, error, method, params, sessionId } = JSON.parse(String(data));
      if (id === undefined) this.#listeners.get(sessionId)?.(method, params);
      else if (error) this.#answers.get(id)?.reject(new Error(error.message));
      else this.#answers.get(id)?.resolve(result);
      this.#answers.delete(id);
    };
  }

  static async start(executable: string): Promise<Browser> {
    const home = temporaryDirectory();
    const profile = join(home, "profile");
    mkdirSync(profile);
    const child = Bun.spawn([executable, ...FLAGS, `--user-data-dir=${profile}`], {
      env: { ...process.env, HOME: home },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const socket = new WebSocket(await debuggerUrl(child));
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Browser(child, socket);
  }

  /** Calls a method of the protocol. */
  call(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
  }

  /** Opens a page that may load what is at `origin`, and nothing else. */
  async open(url: string): Promise<Page> {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page((method, params) => this.call(method, params, sessionId), new URL(url).origin);
    this.#listeners.set(sessionId, (method, params) => page.heard(method, params));
    await page.goto(url);
    return page;
  }

  async stop(): Promise<void> {
    await this.call("Browser.close").catch(() => {});
    await this.#child.exited;
  }
}

/** The address in the line that Chromium writes when it is ready. */
async function debuggerUrl(child: Subprocess<"ignore", "ignore", "pipe">): Promise<string> {
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of child.stderr) {
    output += decoder.decode(chunk, { stream: true });
    const url = /DevTools listening on (ws:\S+)/.exec(output)?.[1];
    if (url) return url;
  }
  throw new Error(`Chromium did not start: ${output}`);
}

export class Page {
  /** Requests for anything but the origin's own; they were not let through. */
  readonly foreign: string[] = [];
  /** What the page's console shows in red: errors, what nobody caught, what its policy forbade. */
  readonly errors: string[] = [];
  readonly #call: (method: string, params?: object) => Promise<Result>;
  readonly #origin: string;

  constructor(call: (method: string, params?: object) => Promise<Result>, origin: string) {
    this.#call = call;
    this.#origin = origin;
  }

  heard(method: string, params: Result): void {
    if (method === "Fetch.requestPaused") this.#judge(params.requestId, params.request.url);
    if (method === "Runtime.exceptionThrown")
      this.errors.push(params.exceptionDetails.exception?.description);
    if (method === "Runtime.consoleAPICalled" && params.type === "error")
      this.errors.push(JSON.stringify(params.args));
    if (method === "Log.entryAdded" && params.entry.level === "error")
      this.errors.push(`${params.entry.text} ${params.entry.url ?? ""}`);
  }

  #judge(requestId: string, url: string): void {
    const isOwn = url.startsWith(`${this.#origin}/`) || /^(data|blob):/.test(url);
    if (!isOwn) this.foreign.push(url);
    const [method, how] = isOwn
      ? ["continueRequest", {}]
      : ["failRequest", { errorReason: "AddressUnreachable" }];
    // A page that is left meanwhile has no use for it.
    this.#call(`Fetch.${method}`, { requestId, ...how }).catch(() => {});
  }

  async goto(url: string): Promise<void> {
    for (const domain of ["Page", "Runtime", "Log"]) await this.#call(`${domain}.enable`);
    await this.#call("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    await this.#call("Page.navigate", { url });
  }

  /** The value of an expression in the page, as JSON has it; promises are awaited. */
  async evaluate(expression: string): Promise<Result> {
    const { result, exceptionDetails } = await this.#call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is truthy, and returns its value. */
  async until(expression: string): Promise<Result> {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      // While a page is loaded there may be nothing to ask.
      const value = await this.evaluate(expression).catch(() => undefined);
      if (value) return value;
      if (Date.now() > deadline) throw new Error(`the page never shows: ${expression}`);
      await Bun.sleep(20);
    }
  }

  /** Waits for an element. */
  async find(selector: string): Promise<void> {
    await this.until(`document.querySelector(${JSON.stringify(selector)}) !== null`);
  }

  /**
   * Clicks the first element of a selector, once it is there and a person could: nothing lies over its middle. The page
   * clicks itself, since a pointer misses what is still moving.
   */
  async click(selector: string): Promise<void> {
    await this.until(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      const isReady = element.contains(top) && !element.disabled;
      if (isReady) element.click();
      return isReady;
    })()`);
  }

  /** Types into a field. */
  async type(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await this.#call("Input.insertText", { text });
  }

  /** The text of the first element of a selector, once there is one that says something. */
  text(selector: string): Promise<string> {
    return this.until(`document.querySelector(${JSON.stringify(selector)})?.innerText.trim()`);
  }

  /** What the page looks like, as a PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#call("Page.captureScreenshot");
    return Buffer.from(data, "base64");
  }
}
