import { newRule } from "../../alerts/support";
import { caughtUp as published } from "../../mqtt/support";
import {
  channel,
  connectBot,
  GUILD,
  guild,
  member,
  requests,
  role,
  Told,
} from "../../operations/community/support";
import { callBack, consented, newAccount, startConnect } from "../../operations/integrations/support";
import { measured, station } from "../../stand-ins/pegelonline";
import { done, expectStatus } from "../../support/expectations";
import { catchUp, post, raise, speedRule } from "../../sync/aboard/support";
import { write } from "../../tracking/log/support";
import { createTrip, createZone, moveTrip } from "../../tracking/support";
import { HARBOUR } from "./fleet";
import type { Installation } from "./installation";
import type { People } from "./people";

/** The ways to and from others: platforms, a guild, water levels, boats, the shore and a broker. */

export interface Beyond {
  integration: string;
  /** Identifier of the guild in Fairlead. */
  guild: string;
  /** The boat's server, as this one knows it. */
  box: string;
}

export async function reach(installation: Installation, { anna }: People): Promise<Beyond> {
  const integration = await connect(installation, anna.token);
  const guildId = await sailors(installation);
  await levels(installation);
  await boats(installation);
  await published(installation.home);
  return { integration, guild: guildId, box: installation.skiff.box.id };
}

/** An account on a platform that is connected, and one whose connection has begun. */
async function connect({ harbour, home }: Installation, token: string): Promise<string> {
  newAccount(harbour, "discord");
  await callBack(harbour, await consented(harbour, "discord", token));
  expectStatus(await startConnect(harbour, "discord", token), 200);
  const [connected] = done(await home.get("/v1/integrations", { token }));
  return connected.id;
}

/** A bot brings a guild with a channel, a role and a member. */
async function sailors({ home }: Installation): Promise<string> {
  const told = new Told();
  told.all = { guilds: [guild()], channels: [channel("1")], roles: [role("2")] };
  told.memberList = [member("53908099506183680", { username: "bosun", roles: ["2"] })];
  const bot = await connectBot(home, told);
  const { sync, syncMembers, put, idOf } = requests(home);
  done(await sync({}));
  done(await syncMembers());
  done(await put(`/guilds/${GUILD}/settings`, { default_language: "de" }));
  done(await put("/settings", { command_cooldown_seconds: 5 }));
  await bot.close();
  return idOf();
}

/** Settings, and a water level with its past. */
async function levels({ home, levels: source }: Installation): Promise<void> {
  const token = await home.admin();
  const setting = { key: "harbour.hours", value: { from: "08:00" }, is_public: false };
  done(await home.post("/v1/settings", { token, body: setting }));
  const path = "/v1/system-config/pegel.default_radius_km";
  done(await home.patch(path, { token, body: { value: 50 } }));
  const timestamp = new Date(home.time).toISOString();
  const one = station({}, { current: { value: 104, timestamp, trend: 0 } });
  source.stations = [one];
  source.measurements.set(one.uuid, measured([100, 102, 101, 104], timestamp));
  done(await home.get("/v1/pegel/stations", { token }));
  done(await home.get(`/v1/pegel/stations/${one.uuid}/history`, { token }));
  await newRule(home, { type: "water_level", station: one.uuid, above_cm: 620 });
}

/** A boat sends what it keeps and gets a zone and a rule; the server does the same with a shore of its own. */
async function boats({ home, skiff: { server: skiff, box }, mainland, ownBox }: Installation): Promise<void> {
  const zone = await createZone(home, { name: "Fairway", ...HARBOUR, radius_km: 5, box_ids: [box.id] });
  const condition = { type: "zone", event: "exit", geofence_ids: [zone.id] };
  await newRule(home, condition, { box_ids: [box.id] });
  await createZone(mainland, { name: "Coast", ...HARBOUR, radius_km: 50, box_ids: [ownBox] });
  const device = await skiff.device("Skiff");
  await speedRule(skiff);
  const trip = await createTrip(skiff, { name: "Across", device_id: device.id, gps_logging_enabled: true });
  await moveTrip(skiff, trip.id, "active");
  await write(skiff, trip.id, { text: "Rowed" });
  await post(skiff, device.key);
  await raise(skiff, device.key);
  await catchUp(skiff);
  await catchUp(home);
}
