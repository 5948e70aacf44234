import { api, call } from "./api";
import { BASE } from "./base";

/**
 * Downloads a file of the API: by an address that is good once, since a browser opens addresses without the header that tells
 * the page from others. Throws an ApiError.
 */
export async function download(path: string): Promise<void> {
  const { data } = await call(() => api.POST("/bridge/downloads", { body: { path } }));
  const link = document.createElement("a");
  link.href = new URL(data.url, BASE).href;
  link.download = "";
  link.click();
}
