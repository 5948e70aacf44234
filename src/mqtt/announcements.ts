import { ZONE_EVENTS } from "../alerts/kinds";
import { publicUrl } from "../configuration/config";
import { VERSION } from "../configuration/version";
import { devicesAfter, findDevice } from "../tracking/devices/service";
import type { BrokerSettings } from "./broker/settings";
import { alertTopic, positionTopic, stateTopic, statusTopic, zoneTopic } from "./broker/topics";
import { cleared, type DeviceBoard } from "./devices";
import {
  type AnnouncedKinds,
  type Discovered,
  deviceDiscoveryTopics,
  discoverDevice,
  discoverInstallation,
  type Installation,
} from "./home-assistant/discovery";
import type { Message } from "./messages";
import { ALERT_TYPES, DEVICE_STATES } from "./schema";

/** The messages that tell Home Assistant of the devices and of the installation. */

/** Devices that are looked at in one turn of the event loop. */
const OF_TURN = 25;

export const installationOf = ({ prefix, installation }: BrokerSettings): Installation => ({
  name: installation,
  version: VERSION,
  url: publicUrl(),
  topics: {
    status: statusTopic(prefix),
    position: (deviceId) => positionTopic(prefix, deviceId),
    state: (deviceId) => stateTopic(prefix, deviceId),
    zones: zoneTopic(prefix, "+"),
    alerts: alertTopic(prefix, "+"),
  },
  states: DEVICE_STATES,
  zoneEvents: ZONE_EVENTS,
  alertTypes: ALERT_TYPES,
});

export interface AnnouncerOptions {
  installation: Installation;
  board: DeviceBoard;
  isOn: boolean;
  kinds: AnnouncedKinds & { positions: boolean };
}

export class Announcer {
  readonly #options: AnnouncerOptions;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** The messages that announce everything, bit by bit. */
  async *all(): AsyncGenerator<Message[]> {
    const { installation, isOn, kinds } = this.#options;
    if (!isOn) return;
    yield discoverInstallation(installation, kinds).map(announcement);
    if (!kinds.positions) return;
    for (let last = ""; ; ) {
      const devices = devicesAfter(last, OF_TURN);
      for (const device of devices) yield discoverDevice(installation, device).map(announcement);
      if (devices.length < OF_TURN) return;
      last = devices.at(-1)?.id ?? "";
      await new Promise(setImmediate);
    }
  }

  /** The messages that announce a device that has changed, or that make everybody forget one that is gone. */
  readonly changed = (deviceId: string): Message[] => {
    const { installation, board, isOn, kinds } = this.#options;
    if (!kinds.positions) return [];
    const device = findDevice(deviceId);
    if (device) return isOn ? discoverDevice(installation, device).map(announcement) : [];
    const withdrawn = isOn ? deviceDiscoveryTopics(installation, deviceId).map(withdrawal) : [];
    // Home Assistant complains of empty positions while it has the tracker.
    return [...withdrawn, ...board.gone(deviceId)];
  };

  /** True for the topic of a configuration that is to be there. */
  knows(topic: string, deviceId: string | null): boolean {
    const { installation, isOn, kinds } = this.#options;
    if (!isOn) return false;
    if (deviceId === null)
      return discoverInstallation(installation, kinds).some((discovered) => discovered.topic === topic);
    if (!kinds.positions || !findDevice(deviceId)) return false;
    return deviceDiscoveryTopics(installation, deviceId).includes(topic);
  }
}

const announcement = ({ topic, config }: Discovered): Message => ({
  topic,
  payload: JSON.stringify(config),
  isRetained: true,
  isOptional: true,
});

const withdrawal = (topic: string): Message => ({ ...cleared(topic), isOptional: true });
