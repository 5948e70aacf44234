import { answerQuestions } from "./processes";

/** Clients that sign in over and over, a process of its own: the storm in which positions must still be served. */

export type LoginOrder =
  | { do: "start"; port: number; clients: number; identifier: string; password: string }
  | { do: "stop" };

export interface Logins {
  /** Sign-ins answered since the start, and the seconds that it lasted. */
  answered: number;
  seconds: number;
}

let running = false;
let clients: Promise<void>[] = [];
let answered = 0;
let startedAt = 0;

async function signIn(url: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  while (running) {
    const answer = await fetch(url, { method: "POST", headers, body });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a sign-in answered ${answer.status}`);
    answered++;
  }
}

async function obey(order: LoginOrder): Promise<Logins> {
  if (order.do === "start") {
    const { identifier, password } = order;
    const body = JSON.stringify({ identifier, password });
    running = true;
    answered = 0;
    startedAt = performance.now();
    const url = `http://127.0.0.1:${order.port}/v1/auth/login`;
    clients = Array.from({ length: order.clients }, () => signIn(url, body));
    // The storm blows once the first hashes are under way.
    await Bun.sleep(200);
  } else {
    running = false;
    await Promise.all(clients);
  }
  return { answered, seconds: (performance.now() - startedAt) / 1_000 };
}

if (import.meta.main) answerQuestions(obey);
