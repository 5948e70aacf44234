import { iso, now } from "../../kernel/time/clock";
import { isObject, type Json } from "../../kernel/values/json";
import {
  type Api,
  countOf,
  firstOf,
  NoChannel,
  NotPermitted,
  orNothing,
  pictureOf,
  TokenRefused,
  textOf,
} from "./api";
import type { ChannelStats } from "./schema";
import type { PlatformSlug } from "./words";

/**
 * A user's account on each platform, and its channel in figures (Twitch API reference; YouTube Data API,
 * channels and liveBroadcasts; Discord API, users).
 */

export interface Account {
  id: string;
  username: string;
  displayName: string | null;
  picture: string | null;
}

interface Channel {
  account: (api: Api) => Promise<Account>;
  stats: (api: Api, platformUserId: string) => Promise<ChannelStats>;
}

const nothing = (): ChannelStats => ({
  followers: 0,
  subscribers: 0,
  is_live: false,
  current_viewers: 0,
  stream_title: null,
  game_name: null,
  updated_at: iso(now()),
});

const part = (value: Json | null | undefined, name: string): Json => {
  const inner = value?.[name];
  return isObject(inner) ? inner : {};
};

// --- Twitch -------------------------------------------------------------------------------------------------

const twitch: Channel = {
  async account(api) {
    const user = firstOf((await api.get("/users")).data);
    return {
      id: api.need(textOf(user?.id), "user"),
      username: api.need(textOf(user?.login), "login"),
      displayName: textOf(user?.display_name),
      picture: pictureOf(user?.profile_image_url),
    };
  },

  async stats(api, id) {
    const followers = await api.get("/channels/followers", { broadcaster_id: id, first: "1" });
    // Only affiliates and partners have subscribers; the others are refused, in various ways.
    // Twitch answers a missing scope with 401 as well; the token itself was tried before.
    const subscribers = await orNothing(
      api.get("/subscriptions", { broadcaster_id: id, first: "1" }).catch((error) => {
        throw error instanceof TokenRefused ? new NotPermitted() : error;
      }),
    );
    const stream = firstOf((await api.get("/streams", { user_id: id })).data);
    const isLive = stream?.type === "live";
    const shown = isLive ? stream : firstOf((await api.get("/channels", { broadcaster_id: id })).data);
    return {
      ...nothing(),
      followers: countOf(followers.total),
      subscribers: countOf(subscribers?.total),
      is_live: isLive,
      current_viewers: isLive ? countOf(stream?.viewer_count) : 0,
      stream_title: textOf(shown?.title),
      game_name: textOf(shown?.game_name),
    };
  },
};

// --- YouTube ------------------------------------------------------------------------------------------------

const ownChannel = async (api: Api): Promise<Json | null> =>
  firstOf((await api.get("/channels", { part: "snippet,statistics", mine: "true" })).items);

const youtube: Channel = {
  async account(api) {
    const channel = await ownChannel(api);
    if (channel === null) throw new NoChannel();
    const snippet = part(channel, "snippet");
    const title = textOf(snippet.title);
    return {
      id: api.need(textOf(channel.id), "channel"),
      username: textOf(snippet.customUrl) ?? api.need(title, "title"),
      displayName: title,
      picture: pictureOf(part(part(snippet, "thumbnails"), "default").url),
    };
  },

  async stats(api) {
    const statistics = part(await ownChannel(api), "statistics");
    const subscribers = statistics.hiddenSubscriberCount === true ? 0 : countOf(statistics.subscriberCount);
    // An account that may not stream is refused.
    const broadcasts = await orNothing(
      api.get("/liveBroadcasts", { part: "snippet,status", broadcastStatus: "active" }),
    );
    const broadcast = firstOf(broadcasts?.items);
    const stats = { ...nothing(), followers: subscribers, subscribers };
    const id = textOf(broadcast?.id);
    if (!broadcast || id === null) return stats;
    const video = firstOf((await api.get("/videos", { part: "liveStreamingDetails", id })).items);
    return {
      ...stats,
      is_live: true,
      current_viewers: countOf(part(video, "liveStreamingDetails").concurrentViewers),
      stream_title: textOf(part(broadcast, "snippet").title),
    };
  },
};

// --- Discord ------------------------------------------------------------------------------------------------

const AVATARS = "https://cdn.discordapp.com/avatars";

const discord: Channel = {
  async account(api) {
    const user = await api.get("/users/@me");
    const id = api.need(textOf(user.id), "user");
    const avatar = textOf(user.avatar);
    const isPicture = avatar !== null && /^\w+$/.test(avatar) && /^\d+$/.test(id);
    return {
      id,
      username: api.need(textOf(user.username), "username"),
      displayName: textOf(user.global_name),
      picture: isPicture ? `${AVATARS}/${id}/${avatar}.${avatar.startsWith("a_") ? "gif" : "png"}` : null,
    };
  },

  // Discord has no channel of this kind; the request only proves that the token is valid.
  async stats(api) {
    await api.get("/users/@me");
    return nothing();
  },
};

export const CHANNELS: Record<PlatformSlug, Channel> = { twitch, youtube, discord };
