import Ajv from "ajv";
import addFormats from "ajv-formats";
import { closed } from "./contract";

/** Checks the JSON messages of a server's WebSocket against its AsyncAPI document. */

export type CheckMessage = (message: unknown) => void;

const checks = new Map<string, Promise<CheckMessage>>();

/** The check of one server's messages, which throws unless a message is of a documented type and form. */
export function socketContract(url: string): Promise<CheckMessage> {
  const check = checks.get(url) ?? compile(url);
  checks.set(url, check);
  return check;
}

async function compile(url: string): Promise<CheckMessage> {
  const document = await (await fetch(`${url}/v1/asyncapi.json`)).json();
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema(closed(document), "document");
  return (message) => {
    const type = String((message as { type?: unknown } | null)?.type);
    const payload = Object.hasOwn(document.operations, `send_${type}`)
      ? document.components.messages[type].payload
      : null;
    if (payload === null) throw new Error(`the document has no message ${JSON.stringify(message)}`);
    const validate = ajv.getSchema(`document${payload.$ref}`);
    if (!validate?.(message))
      throw new Error(
        `not as documented: ${ajv.errorsText(validate?.errors)}\n${JSON.stringify(message).slice(0, 500)}`,
      );
  };
}
