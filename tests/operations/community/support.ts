import {
  type Channel,
  type Community,
  CommunityBot,
  type Guild,
  type Member,
  type Role,
} from "../../realtime/community-bot";
import { frame, read, subscribeInBinary } from "../../support/protobuf";
import type { TestServer } from "../../support/server";
import { Client } from "../../support/socket";

/** Shared by the tests of the community: bots, and the records that they report. */

export const GUILD = "81384788765712384";
export const OTHER_GUILD = "197038439483310086";

export const guild = (fields: Partial<Guild> = {}): Guild => ({
  guildId: GUILD,
  name: "Bodden Sailors",
  ownerId: "53908099506183680",
  ...fields,
});
export const channel = (channelId: string, fields: Partial<Channel> = {}): Channel => ({
  channelId,
  guildId: GUILD,
  name: `channel-${channelId}`,
  ...fields,
});
export const role = (roleId: string, fields: Partial<Role> = {}): Role => ({
  roleId,
  guildId: GUILD,
  name: `role-${roleId}`,
  ...fields,
});
export const member = (userId: string, fields: Partial<Member> = {}): Member => ({
  guildId: GUILD,
  userId,
  username: `user${userId}`,
  ...fields,
});

/** The community that a bot reports; tests change it as they go. */
export class Told implements Community {
  all: { guilds: Guild[]; channels: Channel[]; roles: Role[] } = {
    guilds: [guild()],
    channels: [],
    roles: [],
  };
  memberList: Member[] = [];

  async guilds(guildId: string | null) {
    const of = <T extends { guildId: string }>(list: T[]) =>
      list.filter((one) => guildId === null || one.guildId === guildId);
    return { guilds: of(this.all.guilds), channels: of(this.all.channels), roles: of(this.all.roles) };
  }

  members(guildId: string): Member[][] {
    return [this.memberList.filter((one) => one.guildId === guildId)];
  }
}

const address = (server: TestServer) => `${server.url.replace("http", "ws")}/v1/ws`;

/** The example bot, connected with a key of its own. */
export const connectBot = async (server: TestServer, told: Community): Promise<CommunityBot> =>
  CommunityBot.connect(address(server), await server.key("community:sync"), told);

interface Asked {
  requestId: string;
  guildId?: string;
  scope?: number;
}

/** A bot that sends the parts that the test tells it to send. */
export class ManualBot {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(server: TestServer, bearer?: string): Promise<ManualBot> {
    const client = await Client.open(server, { bearer: bearer ?? (await server.key("community:sync")) });
    return new ManualBot(await subscribeInBinary(client, "community"));
  }

  /** The next request of the server. */
  async asked(): Promise<Asked> {
    const { communitySyncRequest } = read(await this.client.next());
    if (!communitySyncRequest) throw new Error("the server asked for no sync");
    return communitySyncRequest as Asked;
  }

  answer({ requestId }: { requestId: string }, part: object): void {
    this.client.send(frame("communitySyncResponse", { requestId, success: true, ...part }));
  }

  /** Answers, and returns the server's reply: there is one to mistakes only. */
  async wrongAnswer(requestId: string, part: object = {}): Promise<unknown> {
    this.answer({ requestId }, part);
    return read(await this.client.next());
  }

  close = (): Promise<void> => this.client.close();
}

/** Requests as the admin. */
export function requests(server: TestServer) {
  const token = () => server.admin();
  return {
    get: async (path: string) => server.get(`/v1/community${path}`, { token: await token() }),
    put: async (path: string, body: unknown) =>
      server.put(`/v1/community${path}`, { token: await token(), body }),
    remove: async (path: string) => server.delete(`/v1/community${path}`, { token: await token() }),
    sync: async (body?: unknown) => server.post("/v1/community/sync", { token: await token(), body }),
    syncMembers: async (guildId = GUILD) =>
      server.post(`/v1/community/guilds/${guildId}/members/sync`, { token: await token() }),
    /** The identifier of a guild in Fairlead. */
    idOf: async (guildId = GUILD): Promise<string> =>
      (await server.get(`/v1/community/guilds/${guildId}`, { token: await token() })).body.id,
  };
}

/** An Error envelope. */
export const errorEnvelope = (message: unknown) => ({ type: 20, error: { message } });
