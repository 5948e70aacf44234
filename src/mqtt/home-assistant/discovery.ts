/**
 * The configurations by which Home Assistant finds devices (its documentation, "MQTT Discovery": one component for each topic,
 * `<prefix>/<component>/<node>/<object>/config`, retained; an empty one removes the entity). Pure.
 */

/** The prefix that Home Assistant has unless somebody changed it. */
export const DISCOVERY_PREFIX = "homeassistant";

/** The topic at which Home Assistant says that it is there; its birth message is `online`. */
export const BIRTH_TOPIC = `${DISCOVERY_PREFIX}/status`;
export const BIRTH = "online";

/** A configuration at its topic. */
export interface Discovered {
  topic: string;
  config: Record<string, unknown>;
}

/** All that configurations say of the installation. */
export interface Installation {
  /** Its name among others at the broker, of letters and digits. */
  name: string;
  version: string;
  /** Address at which people reach it. */
  url: string;
  /** Topics that configurations lead to. */
  topics: {
    status: string;
    position: (deviceId: string) => string;
    state: (deviceId: string) => string;
    zones: string;
    alerts: string;
  };
  states: readonly string[];
  zoneEvents: readonly string[];
  alertTypes: readonly string[];
}

export interface AnnouncedDevice {
  id: string;
  name: string;
  device_type: string | null;
}

const nodeOf = ({ name }: Installation): string => `fairlead_${name}`;

const topicOf = (installation: Installation, component: string, object: string): string =>
  `${DISCOVERY_PREFIX}/${component}/${nodeOf(installation)}/${object}/config`;

/** The filter of all configurations of an installation. */
export const discoveryFilter = (installation: Installation): string => topicOf(installation, "+", "+");

/** The components of a device, and of the installation itself: the topics to clear where they go. */
const OF_DEVICE = [
  ["device_tracker", "position"],
  ["sensor", "speed"],
  ["sensor", "battery"],
  ["sensor", "seen"],
  ["sensor", "state"],
] as const;

/** The topics of a device's configurations. */
export const deviceDiscoveryTopics = (installation: Installation, deviceId: string): string[] =>
  OF_DEVICE.map(([component, part]) => topicOf(installation, component, `${deviceId}_${part}`));

/** The device of a configuration's topic; null for one that is of no device. */
export const deviceOfTopic = (topic: string): string | null =>
  /\/([0-9a-f-]{36})_[a-z]+\/config$/.exec(topic)?.[1] ?? null;

/** Common to all entities. */
const common = ({ version }: Installation, uniqueId: string) => ({
  unique_id: uniqueId,
  origin: { name: "Fairlead", sw_version: version },
  qos: 1,
});

/** Makes an entity unavailable while the installation is not connected. */
const availability = ({ topics }: Installation) => ({
  availability_topic: topics.status,
  payload_available: "online",
  payload_not_available: "offline",
});

/** Of an empty payload, by which a topic is cleared, there is no `value_json`. */
const whereThere = (template: string): string => `{% if value_json is defined %}${template}{% endif %}`;

/** `latitude`, `longitude` and `gps_accuracy`, which must be a number, place a tracker; the rest is shown beside. */
const TRACKER_TEMPLATE = whereThere(
  `{{ {'latitude': value_json.latitude, 'longitude': value_json.longitude, 'gps_accuracy': value_json.accuracy_m or 0, ${["altitude", "heading", "speed_kmh", "trip_id", "source", "timestamp"].map((name) => `'${name}': value_json.${name}`).join(", ")}} | tojson }}`,
);

/** The configurations of a device. */
export function discoverDevice(installation: Installation, device: AnnouncedDevice): Discovered[] {
  const { topics, name, url } = installation;
  const position = topics.position(device.id);
  const entity = (
    [component, part]: (typeof OF_DEVICE)[number],
    own: Record<string, unknown>,
  ): Discovered => ({
    topic: topicOf(installation, component, `${device.id}_${part}`),
    config: {
      ...common(installation, `fairlead_${device.id}_${part}`),
      ...availability(installation),
      device: {
        identifiers: [`fairlead_${device.id}`],
        name: device.name,
        manufacturer: "Fairlead",
        ...(device.device_type && { model: device.device_type }),
        via_device: `fairlead_${name}`,
        configuration_url: url,
      },
      ...own,
    },
  });
  const [tracker, speed, battery, seen, state] = OF_DEVICE;
  return [
    entity(tracker, {
      // The tracker bears the name of the device.
      name: null,
      source_type: "gps",
      json_attributes_topic: position,
      json_attributes_template: TRACKER_TEMPLATE,
    }),
    entity(speed, {
      name: "Speed",
      device_class: "speed",
      state_class: "measurement",
      unit_of_measurement: "km/h",
      suggested_display_precision: 1,
      state_topic: position,
      value_template: whereThere("{{ value_json.speed_kmh }}"),
    }),
    entity(battery, {
      name: "Battery",
      device_class: "battery",
      state_class: "measurement",
      entity_category: "diagnostic",
      unit_of_measurement: "%",
      state_topic: position,
      value_template: whereThere("{{ value_json.battery_percent }}"),
    }),
    entity(seen, {
      name: "Last position",
      device_class: "timestamp",
      entity_category: "diagnostic",
      state_topic: position,
      value_template: whereThere("{{ value_json.timestamp }}"),
    }),
    entity(state, {
      name: "Position state",
      device_class: "enum",
      options: [...installation.states],
      icon: "mdi:map-marker-check",
      state_topic: topics.state(device.id),
    }),
  ];
}

/** The kinds of what is published, each with entities of its own. */
export interface AnnouncedKinds {
  zones: boolean;
  alerts: boolean;
}

/** The configurations of the installation itself: its connection, and the events of zones and alerts. */
export function discoverInstallation(installation: Installation, kinds: AnnouncedKinds): Discovered[] {
  const { topics, name, version, url } = installation;
  const entity = (component: string, part: string, own: Record<string, unknown>): Discovered => ({
    topic: topicOf(installation, component, part),
    config: {
      ...common(installation, `fairlead_${name}_${part}`),
      device: {
        identifiers: [`fairlead_${name}`],
        name: "Fairlead",
        manufacturer: "Fairlead",
        model: "Server",
        sw_version: version,
        configuration_url: url,
      },
      ...own,
    },
  });
  const event = (type: string, fields: string[]): string =>
    whereThere(
      `{{ {'event_type': value_json.${type}, ${fields.map((field) => `'${field}': value_json.${field}`).join(", ")}} | tojson }}`,
    );
  return [
    // Always available: it tells that the rest is not.
    entity("binary_sensor", "connection", {
      name: "Connection",
      device_class: "connectivity",
      entity_category: "diagnostic",
      state_topic: topics.status,
      payload_on: "online",
      payload_off: "offline",
    }),
    ...(kinds.zones
      ? [
          entity("event", "zones", {
            ...availability(installation),
            name: "Zones",
            icon: "mdi:map-marker-radius",
            event_types: [...installation.zoneEvents],
            state_topic: topics.zones,
            value_template: event("event", [
              ...["geofence_id", "geofence_name", "device_id", "device_name"],
              ...["occurred_at", "latitude", "longitude"],
            ]),
          }),
        ]
      : []),
    ...(kinds.alerts
      ? [
          entity("event", "alerts", {
            ...availability(installation),
            name: "Alerts",
            icon: "mdi:bell-alert",
            event_types: [...installation.alertTypes],
            state_topic: topics.alerts,
            value_template: event("type", [
              ...["id", "severity", "status", "message", "condition", "device_id", "device_name"],
              "raised_at",
            ]),
          }),
        ]
      : []),
  ];
}
