import { afterEach, beforeEach, expect, test } from "bun:test";
import { SyncQueue, type SyncReceiver } from "../../src/operations/community/sync";
import { botJoined, botLeft, takeInTurn } from "../../src/realtime/community";
import type { Socket } from "../../src/realtime/connections";

/**
 * The frames of a bot's answer are handled in turns, so that nobody waits for all of them. In this process.
 */
const nextTurn = () => new Promise(setImmediate);

let taken: string[] = [];
let isBusy = false;
const take = (_: Socket, frame: string | Buffer) => {
  taken.push(String(frame));
};
const frames = Array.from({ length: 5 }, (_, at) => `frame ${at}`);

const line = new SyncQueue<string>("guilds", 10_000);
const intake: SyncReceiver<string> = {
  take() {},
  isBusy: () => isBusy,
  commit: async () => "",
  drop() {},
  failed: (error) => error,
};

const socket = { send: () => 0 } as unknown as Socket;
let answer: Promise<unknown> = Promise.resolve();
beforeEach(() => {
  [taken, isBusy] = [[], false];
  botJoined(socket);
});
afterEach(async () => {
  botLeft(socket);
  await answer;
  for (let turn = 0; turn <= frames.length; turn++) await nextTurn();
});

const ask = () => {
  answer = line.ask(null, () => intake).catch(() => {});
};

test("a bot that is asked nothing has its frames taken at once", () => {
  for (const frame of frames) expect(takeInTurn(socket, frame, take)).toBe(true);
  expect(taken).toEqual(frames);
});

test("a bot that answers has one frame taken in a turn, in their order", async () => {
  ask();
  for (const frame of frames) expect(takeInTurn(socket, frame, take)).toBe(true);
  for (let turn = 1; turn <= frames.length; turn++) {
    expect(taken).toEqual(frames.slice(0, turn));
    await nextTurn();
  }
  expect(taken).toEqual(frames);
  takeInTurn(socket, "later", take);
  await nextTurn();
  expect(taken.at(-1)).toBe("later");
});

test("frames wait while enough is to be stored", async () => {
  ask();
  isBusy = true;
  for (const frame of frames) takeInTurn(socket, frame, take);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(taken).toEqual(frames.slice(0, 1));
  isBusy = false;
  for (let turn = 0; turn < frames.length; turn++) await nextTurn();
  expect(taken).toEqual(frames);
});

test("what has come is taken also when the bot leaves meanwhile", async () => {
  ask();
  isBusy = true;
  for (const frame of frames) takeInTurn(socket, frame, take);
  botLeft(socket);
  for (let turn = 0; turn < frames.length; turn++) await nextTurn();
  expect(taken).toEqual(frames);
});

test("more than 64 MiB may not wait", () => {
  ask();
  takeInTurn(socket, "first", take);
  const mebibyte = Buffer.alloc(1024 * 1024);
  for (let sent = 0; sent < 63; sent++) expect(takeInTurn(socket, mebibyte, take)).toBe(true);
  expect(takeInTurn(socket, mebibyte, take)).toBe(false);
});
