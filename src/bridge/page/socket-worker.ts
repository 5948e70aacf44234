/**
 * The page's socket, in a thread of its own. Each message costs the thread that hears it far more than its text is worth: the page
 * is handed those of a moment together.
 */

/** Milliseconds for which messages are gathered once some were handed over. One that comes alone doesn't wait. */
const PAUSE = 200;

let socket: WebSocket | null = null;
let gathered: unknown[] = [];
let isWaiting = false;
let last = Number.NEGATIVE_INFINITY;

function handOver(): void {
  isWaiting = false;
  if (gathered.length === 0) return;
  last = performance.now();
  postMessage({ heard: gathered });
  gathered = [];
}

function hear({ data }: MessageEvent): void {
  gathered.push(data);
  if (isWaiting) return;
  const pause = last + PAUSE - performance.now();
  if (pause > 0) {
    isWaiting = true;
    setTimeout(handOver, pause);
  } else handOver();
}

function open(url: string): void {
  socket = new WebSocket(url);
  socket.onopen = () => postMessage({ isOpen: true });
  socket.onmessage = hear;
  socket.onclose = ({ code }) => {
    handOver();
    postMessage({ code });
    close();
  };
}

addEventListener("message", ({ data }: MessageEvent<{ url?: string; text?: string }>) => {
  if (data.url !== undefined) open(data.url);
  else if (data.text !== undefined) socket?.send(data.text);
  else socket?.close();
});
