import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { config, providers } from "../../configuration/config";
import { verifyAddress } from "../../identity/auth/bot-protection";
import { resendAddress } from "../../identity/email/resend";
import { smtpServer } from "../../identity/email/smtp";
import { wordsOfNetwork } from "../../kernel/errors/network-trouble";
import { boundedFetch } from "../../kernel/http/outbound";
import { SECOND } from "../../kernel/time/clock";
import { alike, type Bilingual, BilingualError, inEach } from "../../kernel/values/bilingual";
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
    [...addresses(usesTelegram)].map(([url, purposes]) =>
      reach(
        url,
        inEach((locale) => purposes.map((purpose) => purpose[locale]).join(", ")),
      ),
    ),
  );
}

/** The purposes of each address: without paths and credentials, so that each machine is asked once. */
function addresses(usesTelegram: boolean): Map<string, Bilingual[]> {
  const found = new Map<string, Bilingual[]>();
  const add = (purpose: Bilingual, address: string | null) => {
    if (address === null) return;
    const { protocol, host, hostname } = new URL(address);
    const place = isMail(protocol)
      ? `${hostname}:${smtpServer(address).port}`
      : isBroker(protocol)
        ? `${hostname}:${portOf(new URL(address))}`
        : host;
    const key = `${protocol.replace(/^ws/, "http")}//${place}`;
    const known = found.get(key) ?? [];
    if (!known.some(({ en }) => en === purpose.en)) found.set(key, [...known, purpose]);
  };
  if (config["email.transport"] === "resend") add({ en: "email", de: "E-Mail" }, resendAddress());
  if (config["email.transport"] === "smtp") add({ en: "email", de: "E-Mail" }, config["email.smtp_url"]);
  if (usesTelegram)
    add({ en: "notifications", de: "Benachrichtigungen" }, config["notifications.telegram_api_url"]);
  const provider = config["bot_protection.provider"];
  if (provider !== null) add({ en: "bot protection", de: "Schutz vor Bots" }, verifyAddress(provider));
  if (config["pegel.enabled"]) add({ en: "water levels", de: "Wasserstände" }, config["pegel.base_url"]);
  if (config["vessels.source"] !== "none") add({ en: "vessels", de: "Schiffe" }, config["vessels.url"]);
  // Nothing is at the other end of a port for datagrams.
  if (config["position.source"] !== "none" && !config["position.url"]?.startsWith("udp:"))
    add({ en: "own position", de: "eigene Position" }, config["position.url"]);
  add({ en: "heartbeat", de: "Lebenszeichen" }, config["heartbeat.url"]);
  add({ en: "MQTT broker", de: "MQTT-Broker" }, config["mqtt.url"]);
  add({ en: "shore", de: "Land" }, config["sync.url"]);
  for (const { name, issuer } of providers)
    add({ en: `sign-in by ${name}`, de: `Anmeldung über ${name}` }, issuer);
  for (const platform of ["twitch", "youtube", "discord"] as const)
    if (config[`integrations.${platform}.client_id`] !== null)
      for (const use of ["token_url", "api_url"] as const)
        add(alike(platform), config[`integrations.${platform}.${use}`]);
  return found;
}

const isMail = (protocol: string) => protocol === "smtp:" || protocol === "smtps:";
const isBroker = (protocol: string) => protocol === "mqtt:" || protocol === "mqtts:";

async function reach(url: string, purpose: Bilingual): Promise<Reached> {
  try {
    const date = /^https?:/.test(url) ? await ask(url) : await open(new URL(url));
    const finding = ok("outside", {
      en: `${url} answers (${purpose.en})`,
      de: `${url} antwortet (${purpose.de})`,
    });
    return { finding, date };
  } catch (error) {
    const why = whyUnreached(error);
    const finding = problem("outside", {
      en: `${url} cannot be reached (${purpose.en}): ${why.en}; check the address, the network, DNS and the firewall`,
      de: `${url} ist nicht erreichbar (${purpose.de}): ${why.de}; prüfe die Adresse, das Netz, DNS und die Firewall`,
    });
    return { finding, date: null };
  }
}

/** The machine's own words in English, which tell more of the address that was tried. */
function whyUnreached(error: unknown): Bilingual {
  if (error instanceof BilingualError) return error.words;
  const { code, message } = error as Error & { code?: unknown };
  return { en: message, de: wordsOfNetwork(String(code ?? message)).de };
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
    const timer = setTimeout(() => end(new BilingualError(wordsOfNetwork("ETIMEDOUT"))), TIMEOUT);
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
