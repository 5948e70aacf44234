import { type Browser, chromium as driver } from "playwright-core";

/** Debian's executable, the one without windows first, or another system's; null where none starts. */
export const chromium: string | null =
  ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null && Bun.spawnSync([path, "--version"]).success) ?? null;

/** Starts Chromium without windows, with the flags by which it draws a map without a graphics card. Throws where there is none. */
export function launchChromium(): Promise<Browser> {
  if (chromium === null) throw new Error("there is no Chromium here: apt-get install chromium");
  const drawing = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return driver.launch({
    executablePath: chromium,
    args: [...drawing, "--no-sandbox", "--disable-dev-shm-usage"],
  });
}
