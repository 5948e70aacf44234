import { readFileSync } from "node:fs";
import { type Harbour, registerCallBacks } from "../../operations/integrations/support";
import { keyFile } from "../../server/keys/support";
import { DiscordStandIn } from "../../stand-ins/discord";
import { GoogleStandIn } from "../../stand-ins/google";
import { MqttBroker } from "../../stand-ins/mqtt-broker";
import { Elsewhere } from "../../stand-ins/oauth-platform";
import { OidcStandIn } from "../../stand-ins/oidc";
import { PegelonlineStandIn } from "../../stand-ins/pegelonline";
import { TwitchStandIn } from "../../stand-ins/twitch";
import { WebhookStandIn } from "../../stand-ins/webhook";
import { done } from "../../support/expectations";
import { command, type Settings, TestServer } from "../../support/server";
import { DAY, HOUR, MINUTE } from "../../support/time";
import { type MadeBox, newBox } from "../../sync/support";

/**
 * The servers of a life, and the outside services that they meet. The one in the middle is kept: it has been there for a while,
 * is the shore of a skiff, and tells a mainland what it keeps, so that its database holds both ends of the transfer.
 */

/** A port at which nobody listens. */
const NOWHERE = "127.0.0.1:9";

/** Days for which audit events are kept, the least that there may be, and those since the server was set up. */
const [KEPT_DAYS, AGE_DAYS] = [30, 40];

/** Milliseconds before now at which a life begins, and goes on once hours of it are over: nothing is to be of the future. */
const [BEGUN_AGO, LATER_AGO] = [4 * HOUR, 15 * MINUTE];

export class Installation {
  harbour!: Harbour;
  skiff!: { server: TestServer; box: MadeBox };
  /** The shore of the kept server, which is this box there. */
  mainland!: TestServer;
  ownBox!: string;
  readonly hook = new WebhookStandIn();
  levels!: PegelonlineStandIn;
  /** The OpenID provider, whose name in the settings is `harbour`. */
  provider!: OidcStandIn;
  #broker!: MqttBroker;
  #settings: Settings = {};
  #token = "";

  /** The server that is kept. */
  get home(): TestServer {
    return this.harbour.server;
  }

  /** Value of `security.encryption_key` by which its secrets are read. */
  get encryptionKey(): string {
    return readFileSync(keyFile(this.home.dataDir), "utf8").trim();
  }

  /** Settings without which a server forgets whom it told what; nobody answers at these addresses. */
  get ties(): Settings {
    return {
      ...{ "sync.url": `http://${NOWHERE}`, "sync.token": this.#token },
      "mqtt.url": `mqtt://${NOWHERE}`,
    };
  }

  static async start(): Promise<Installation> {
    const installation = new Installation();
    await installation.#start();
    return installation;
  }

  async #start(): Promise<void> {
    const begin = { clock: "movable", ahead: -BEGUN_AGO } as const;
    this.mainland = await TestServer.start(begin);
    this.#broker = await MqttBroker.start();
    this.levels = await PegelonlineStandIn.start();
    this.provider = await OidcStandIn.start();
    const standIns = {
      twitch: new TwitchStandIn(),
      youtube: new GoogleStandIn(),
      discord: new DiscordStandIn(),
      elsewhere: new Elsewhere(),
    };
    const { id, token } = await newBox(this.mainland, { name: "Island" });
    this.ownBox = id;
    this.#token = token;
    this.#settings = {
      ...standIns.discord.settings,
      ...this.levels.settings(),
      ...this.provider.settings("harbour", { allow_registration: "true", trust_email: "true" }),
      ...{ "sync.url": this.mainland.url, "sync.token": this.#token, "mqtt.url": this.#broker.url },
      ...{ "integrations.allowed_redirects": "https://app.example" },
      ...{ "notifications.allowed_hosts": "127.0.0.1" },
    };
    const dataDir = await aged();
    const server = await TestServer.start({ ...begin, dataDir, settings: this.#settings });
    this.harbour = { ...standIns, server, stop: () => this.stop() };
    registerCallBacks(this.harbour);
    const box = await newBox(server, { name: "Skiff" });
    const settings = { "sync.url": server.url, "sync.token": box.token };
    this.skiff = { server: await TestServer.start({ ...begin, settings }), box };
  }

  /** Lets the rest of the hours go by that a life may take. */
  async comeUp(): Promise<void> {
    for (const server of [this.mainland, this.home, this.skiff.server]) {
      const rest = -LATER_AGO - server.ahead;
      if (rest < 0) throw new Error("a life has taken too many hours");
      await server.advance(rest);
    }
    this.provider.ahead = this.home.ahead / 1_000;
  }

  /** Starts the kept server once more, with other settings beside its own. */
  async restart(settings: Settings): Promise<void> {
    const { dataDir, ahead } = this.home;
    await this.home.stop();
    this.harbour.server = await TestServer.start({
      ...{ clock: "movable", dataDir, ahead },
      settings: { ...this.#settings, ...settings },
    });
  }

  async stop(): Promise<void> {
    const { home, harbour, skiff } = this;
    await Promise.all([home, skiff.server, this.mainland].filter(isUp).map((server) => server.stop()));
    const { twitch, youtube, discord, elsewhere } = harbour;
    const others = [twitch, youtube, discord, elsewhere, this.#broker, this.levels, this.provider, this.hook];
    await Promise.all(others.map((standIn) => standIn.stop()));
  }
}

const isUp = ({ isRunning }: TestServer): boolean => isRunning;

/** A data directory that was set up a while ago: its master key was rotated, and its first audit events are to age out. */
async function aged(): Promise<string> {
  const server = await TestServer.start({ clock: "movable", ahead: -AGE_DAYS * DAY });
  const token = await server.admin();
  done(await server.patch("/v1/system-config/audit.retention_days", { token, body: { value: KEPT_DAYS } }));
  await server.stop();
  const { status, stderr } = await command(["key", "rotate-master"], {
    settings: { "data.dir": server.dataDir },
  });
  if (status !== 0) throw new Error(`the master key wasn't rotated: ${stderr}`);
  return server.dataDir;
}
