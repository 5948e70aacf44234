import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { config } from "../../configuration/config";
import { verifyAddress } from "../../identity/auth/bot-protection";
import { resendAddress } from "../../identity/email/resend";
import { smtpServer } from "../../identity/email/smtp";
import { boundedFetch } from "../../kernel/http/outbound";
import { SECOND } from "../../kernel/time/clock";
import { portOf } from "../../mqtt/broker/streams";
import { type Finding, ok, problem } from "./findings";

/** Checks that the outside addresses in the configuration can be reached. No credential is sent to any. */

const TIMEOUT = 3 * SECOND;

interface Reached {
  finding: Finding;
  /** The time there, if it was told; epoch milliseconds. */
  date: number | null;
}

/** Asks all of them at once. Addresses that users chose are not asked. */
export function checkOutside(usesTelegram = false): Promise<Reached[]> {
  return Promise.all(
    [...addresses(usesTelegram)].map(([url, purposes]) => reach(url, [...purposes].join(", "))),
  );
}

/** The purposes of each address: without paths and credentials, so that each machine is asked once. */
function addresses(usesTelegram: boolean): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (purpose: string, address: string | null) => {
    if (address === null) return;
    const { protocol, host, hostname } = new URL(address);
    const place = isMail(protocol)
      ? `${hostname}:${smtpServer(address).port}`
      : isBroker(protocol)
        ? `${hostname}:${portOf(new URL(address))}`
        : host;
    const key = `${protocol.replace(/^ws/, "http")}//${place}`;
    found.set(key, (found.get(key) ?? new Set()).add(purpose));
  };
  if (config["email.transport"] === "resend") add("email", resendAddress());
  if (config["email.transport"] === "smtp") add("email", config["email.smtp_url"]);
  if (usesTelegram) add("notifications", config["notifications.telegram_api_url"]);
  const provider = config["bot_protection.provider"];
  if (provider !== null) add("bot protection", verifyAddress(provider));
  if (config["pegel.enabled"]) add("water levels", config["pegel.base_url"]);
  if (config["vessels.source"] !== "none") add("vessels", config["vessels.url"]);
  // Nothing is at the other end of a port for datagrams.
  if (config["position.source"] !== "none" && !config["position.url"]?.startsWith("udp:"))
    add("own position", config["position.url"]);
  add("heartbeat", config["heartbeat.url"]);
  add("MQTT broker", config["mqtt.url"]);
  add("shore", config["sync.url"]);
  for (const platform of ["twitch", "youtube", "discord"] as const)
    if (config[`integrations.${platform}.client_id`] !== null)
      for (const use of ["token_url", "api_url"] as const)
        add(platform, config[`integrations.${platform}.${use}`]);
  return found;
}

const isMail = (protocol: string) => protocol === "smtp:" || protocol === "smtps:";
const isBroker = (protocol: string) => protocol === "mqtt:" || protocol === "mqtts:";

async function reach(url: string, purpose: string): Promise<Reached> {
  try {
    const date = /^https?:/.test(url) ? await ask(url) : await open(new URL(url));
    return { finding: ok("outside", `${url} answers (${purpose})`), date };
  } catch (error) {
    const message = `${url} cannot be reached (${purpose}): ${(error as Error).message}; check the address, the network, DNS and the firewall`;
    return { finding: problem("outside", message), date: null };
  }
}

/** Any answer will do: it proves that name, network and certificate are in order. */
async function ask(url: string): Promise<number | null> {
  const answer = await boundedFetch(url, { method: "HEAD" }, { timeout: TIMEOUT, maxBytes: 65_536 });
  const date = Date.parse(answer.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : date;
}

/** Opens a connection and closes it again. */
function open({ protocol, hostname, port }: URL): Promise<null> {
  const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
  return new Promise((resolve, reject) => {
    const isTls = protocol === "smtps:" || protocol === "mqtts:";
    const servername = isIP(target.host) === 0 ? { servername: target.host } : {};
    const socket = isTls ? connectTls({ ...target, ...servername }) : connect(target);
    const timer = setTimeout(() => end(new Error("no answer in time")), TIMEOUT);
    const end = (error: Error | null) => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve(null);
    };
    socket.once(isTls ? "secureConnect" : "connect", () => end(null));
    socket.once("error", end);
  });
}
