import { isDeepStrictEqual } from "node:util";
import type { Server } from "./processes";
import { type Compared, POST, type Scenario } from "./scenarios";

/** Both servers must answer alike: figures of different answers could not be compared. */

interface Answer {
  status: number;
  body: unknown;
}

const HEAD_END = "\r\n\r\n";

/** Sends the bytes of one request on a connection of its own. */
export async function ask({ port }: Server, request: Uint8Array): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let received = Buffer.alloc(0);
  const read = (_: unknown, chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf(HEAD_END);
    const length = /\r\ncontent-length: (\d+)/i.exec(received.toString("latin1", 0, end))?.[1];
    const body = received.subarray(end + HEAD_END.length);
    if (end === -1 || length === undefined || body.length < Number(length)) return;
    resolve({
      status: Number(received.toString("latin1", 9, 12)),
      body: length === "0" ? null : JSON.parse(body.toString()),
    });
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: { data: read, close: () => reject(new Error("a connection was closed before its answer")) },
  });
  socket.write(request);
  const answer = await promise;
  socket.end();
  return answer;
}

/** The first message that a subscriber of `gps` gets when a point is posted. */
async function hear(server: Server): Promise<unknown> {
  const { port, fixture } = server;
  const request = (await POST.requests(fixture))();
  const heard = Promise.withResolvers<unknown>();
  // Bun's own option: the types of browsers, which graphql-yoga brings in, don't know it.
  const options = { headers: { authorization: `Bearer ${fixture.key}` } } as unknown as string[];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/ws`, options);
  socket.onerror = () => heard.reject(new Error("the WebSocket failed"));
  socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", channel: "gps" }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as { type: string };
    if (message.type === "message") ask(server, request).catch(heard.reject);
    else heard.resolve(message);
  };
  const message = await heard.promise;
  socket.close();
  return message;
}

/** A value with each leaf replaced by its type. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}

function insist(what: string, fairlead: unknown, baseline: unknown): void {
  if (isDeepStrictEqual(fairlead, baseline)) return;
  const [ours, theirs] = [fairlead, baseline].map((value) => JSON.stringify(value));
  throw new Error(`${what}: the servers differ.\nFairlead: ${ours}\nbaseline: ${theirs}`);
}

const isRead = (request: Uint8Array): boolean => Buffer.from(request).toString("latin1", 0, 4) === "GET ";

/** Requests of a scenario that are compared: those of one scenario may ask for different records. */
const COMPARED_REQUESTS = 20;

/**
 * Throws unless both servers, whose databases are alike, answer requests of the scenario alike, and with its
 * status.
 */
export async function checkAgreement(scenario: Compared, fairlead: Server, baseline: Server): Promise<void> {
  const next = await scenario.requests(fairlead.fixture);
  let request = next().slice();
  for (let count = isRead(request) ? COMPARED_REQUESTS : 1; count > 0; count--, request = next().slice()) {
    const [ours, theirs] = [await ask(fairlead, request), await ask(baseline, request)];
    insist(`the status of ${scenario.name}`, ours.status, scenario.status);
    // A write makes an identifier and a time, or a token, that differ between the servers.
    const comparable = isRead(request) ? (answer: Answer) => answer : shape;
    insist(scenario.name, comparable(ours), comparable(theirs));
  }
  if (scenario.subscribers) await checkMessages(fairlead, baseline);
}

/** Throws unless both servers send subscribers the same kind of message. */
export async function checkMessages(fairlead: Server, baseline: Server): Promise<void> {
  insist("what subscribers are sent", shape(await hear(fairlead)), shape(await hear(baseline)));
}

/** The body of an answer to a request of the scenario. Throws when its status isn't what the scenario says. */
export async function bodyOf(scenario: Scenario, server: Server): Promise<unknown> {
  const { status, body } = await ask(server, (await scenario.requests(server.fixture))());
  insist(`the status of ${scenario.name}`, status, scenario.status);
  return body;
}
