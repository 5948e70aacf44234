import { BASE } from "./base";

/** A WebSocket in a worker: see socket-worker.ts. Binary frames and reasons of a close aren't passed on. */

interface Heard {
  heard?: unknown[];
  isOpen?: boolean;
  code?: number;
}

export class WorkerSocket {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly #worker: Worker;

  constructor(url: string) {
    const script = new URL(document.documentElement.dataset.socket ?? "", BASE);
    this.#worker = new Worker(script, { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<Heard>) => this.#hear(data);
    this.#worker.onerror = () => this.onerror?.({} as never);
    this.#worker.postMessage({ url });
  }

  #hear({ heard, isOpen, code }: Heard): void {
    if (isOpen) this.onopen?.({} as never);
    // Whoever hears one may hang up, and hears no further one then.
    for (const data of heard ?? []) this.onmessage?.({ data } as never);
    if (code !== undefined) this.onclose?.({ code } as never);
  }

  send(text: string): void {
    this.#worker.postMessage({ text });
  }

  close(): void {
    this.#worker.postMessage({});
  }
}
