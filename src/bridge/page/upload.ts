import type { Schemas } from "./api";
import { BASE } from "./base";

/** Sending a file, with its progress: what `fetch` doesn't tell. */

interface Answer {
  data: Schemas["ImportReport"];
  error?: unknown;
  response: Response;
}

/** The kind of a file by its name; null for one that can't be imported. */
export function kindOf(name: string): { type: string; encoding: string | null } | null {
  const [, ending, packed] = /\.(gpx|csv)(\.gz)?$/i.exec(name) ?? [];
  if (ending === undefined) return null;
  const type = ending.toLowerCase() === "gpx" ? "application/gpx+xml" : "text/csv";
  return { type, encoding: packed === undefined ? null : "gzip" };
}

/**
 * Sends a file of positions of a device. `onProgress` gets the part that was taken, from 0 to 1. Rejects where no answer comes, and
 * with an AbortError once it is stopped.
 */
export function sendPositions(
  deviceId: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const kind = kindOf(file.name);
    request.open("POST", new URL(`v1/devices/${encodeURIComponent(deviceId)}/import`, BASE));
    request.setRequestHeader("X-Fairlead-Page", "1");
    request.setRequestHeader("Content-Type", kind?.type ?? "application/octet-stream");
    if (kind?.encoding) request.setRequestHeader("Content-Encoding", kind.encoding);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      const response = new Response(null, { status: request.status });
      const body = parsed(request.responseText);
      // The caller tells by the response which of both it is.
      resolve(
        (response.ok ? { data: body, response } : { data: undefined, error: body, response }) as Answer,
      );
    };
    request.onerror = () => reject(new TypeError("no answer came"));
    request.onabort = () => reject(new DOMException("the import was stopped", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
