import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Contract, type Document } from "./contract";

export type Token = string;

export interface RequestOptions {
  token?: Token;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent unchanged, in place of `body`. */
  raw?: string | Uint8Array<ArrayBuffer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The parsed JSON, or the text where it is none; null when empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on any answer's shape; the contract has checked it
  body: any;
}

/** Contracts by their document: servers with equal documents share one, and its compiled validators. */
const contracts = new Map<string, Contract>();

function contractOf(document: string): Contract {
  let contract = contracts.get(document);
  if (!contract) {
    contract = new Contract(JSON.parse(document) as Document);
    contracts.set(document, contract);
  }
  return contract;
}

/** The file in which all files of a run keep the document (see run.ts): a server takes a while to make it. */
const KEPT = process.env.TEST_TEMPLATE && `${process.env.TEST_TEMPLATE}.openapi.json`;

const fetchDocument = async (url: string): Promise<string> => (await fetch(`${url}/v1/openapi.json`)).text();

/** The document that all files of a run share, from the file in which it is kept; made by this server if there is none yet. */
async function sharedDocument(file: string, url: string): Promise<string> {
  if (existsSync(file)) return readFileSync(file, "utf8");
  const document = await fetchDocument(url);
  writeFileSync(`${file}.${process.pid}`, document);
  renameSync(`${file}.${process.pid}`, file);
  return document;
}

let shared: Promise<Contract> | undefined;

/** The contract of a server, whose document doesn't depend on the configuration (tests/commands.test.ts). */
async function serverContract(url: string): Promise<Contract> {
  if (!KEPT) return contractOf(await fetchDocument(url));
  shared ??= sharedDocument(KEPT, url).then(contractOf);
  return shared;
}

/** A client of the API that checks every answer against the server's own document. */
export class Api {
  readonly url: string;
  #contract: Promise<Contract> | undefined;

  constructor(url: string) {
    this.url = url;
  }

  contract(): Promise<Contract> {
    this.#contract ??= serverContract(this.url);
    return this.#contract;
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { token, body, raw } = options;
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["content-type"] = "application/json";
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const response = await fetch(this.url + path, {
      method,
      headers: { ...headers, ...options.headers },
      redirect: "manual",
      ...(raw !== undefined ? { body: raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : isJson ? JSON.parse(text) : text,
    };
    (await this.contract()).check(method, path, answer);
    return answer;
  }

  get = (path: string, options?: RequestOptions) => this.request("GET", path, options);
  post = (path: string, options?: RequestOptions) => this.request("POST", path, options);
  put = (path: string, options?: RequestOptions) => this.request("PUT", path, options);
  patch = (path: string, options?: RequestOptions) => this.request("PATCH", path, options);
  delete = (path: string, options?: RequestOptions) => this.request("DELETE", path, options);
}
