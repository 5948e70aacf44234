import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";

/**
 * Discovery configurations as Home Assistant takes them, after its own checks (home-assistant/core,
 * homeassistant/components/mqtt: `schemas.py`, `config.py`, and DISCOVERY_SCHEMA of `device_tracker.py`, `sensor.py`,
 * `binary_sensor.py`, `event.py`). It leaves out keys that it does not know; here they are errors.
 */

const text = { type: "string", minLength: 1 };
const template = { type: "string", pattern: "^(?:[^{]|\\{\\{.*\\}\\}|\\{%.*%\\}|\\{)*$" };
/** `valid_subscribe_topic`: wildcards are whole levels, `#` the last one. */
const topic = {
  type: "string",
  maxLength: 65_535,
  pattern: "^(?:[^+#\\u0000]|(?<![^/])\\+(?![^/])|(?<![^/])#$)+$",
};

/** MQTT_ENTITY_DEVICE_INFO_SCHEMA, with an identifier that is required. */
const device = {
  type: "object",
  additionalProperties: false,
  required: ["identifiers"],
  properties: {
    identifiers: { type: "array", minItems: 1, items: text },
    ...{ name: text, manufacturer: text, model: text, model_id: text, sw_version: text, hw_version: text },
    ...{ serial_number: text, via_device: text, suggested_area: text },
    configuration_url: { type: "string", pattern: "^(?:https?|homeassistant)://[^/]+" },
  },
};

/** MQTT_BASE_SCHEMA, MQTT_AVAILABILITY_SINGLE_SCHEMA and MQTT_ENTITY_COMMON_SCHEMA. A unique_id goes with a device. */
const common = {
  qos: { enum: [0, 1, 2] },
  encoding: text,
  availability_topic: topic,
  availability_template: template,
  payload_available: text,
  payload_not_available: text,
  device,
  origin: {
    type: "object",
    additionalProperties: false,
    required: ["name"],
    properties: { name: text, sw_version: text, support_url: text },
  },
  enabled_by_default: { type: "boolean" },
  entity_category: { enum: ["diagnostic", "config"] },
  icon: { type: "string", pattern: "^[a-z]+:[a-z0-9-]+$" },
  json_attributes_topic: topic,
  json_attributes_template: template,
  unique_id: text,
  name: { type: ["string", "null"] },
};

const component = (required: string[], properties: object, rest: object = {}) => ({
  type: "object",
  additionalProperties: false,
  required: ["unique_id", "device", "origin", "name", ...required],
  properties: { ...common, ...properties },
  ...rest,
});

/** Units by device class (homeassistant/components/sensor/const.py, DEVICE_CLASS_UNITS), of those that are used. */
const UNITS: Record<string, string[]> = {
  battery: ["%"],
  speed: [
    "ft/s",
    "in/d",
    "in/h",
    "in/s",
    "km/h",
    "kn",
    "m/s",
    "mph",
    "mm/d",
    "mm/h",
    "m/min",
    "mm/s",
    "Beaufort",
  ],
};

const SCHEMAS: Record<string, object> = {
  // `state_topic` is deprecated for trackers.
  device_tracker: component(["json_attributes_topic"], {
    source_type: { enum: ["gps", "router", "bluetooth", "bluetooth_le"] },
  }),
  sensor: component(
    ["state_topic"],
    {
      state_topic: topic,
      value_template: template,
      device_class: { enum: ["battery", "speed", "timestamp", "enum"] },
      state_class: { enum: ["measurement", "total", "total_increasing"] },
      unit_of_measurement: text,
      suggested_display_precision: { type: "integer", minimum: 0 },
      options: { type: "array", items: text, minItems: 1, uniqueItems: true },
      expire_after: { type: "integer", minimum: 1 },
      force_update: { type: "boolean" },
    },
    {
      allOf: [
        // validate_sensor_state_and_device_class_config
        {
          if: { properties: { device_class: { const: "enum" } }, required: ["device_class"] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ["options"], properties: { state_class: false, unit_of_measurement: false } },
          else: { properties: { options: false } },
        },
        {
          if: { properties: { device_class: { const: "timestamp" } }, required: ["device_class"] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { properties: { state_class: false, unit_of_measurement: false } },
        },
        ...Object.entries(UNITS).map(([name, units]) => ({
          if: { properties: { device_class: { const: name } }, required: ["device_class"] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: ["unit_of_measurement"], properties: { unit_of_measurement: { enum: units } } },
        })),
      ],
    },
  ),
  binary_sensor: component(["state_topic"], {
    state_topic: topic,
    value_template: template,
    device_class: { enum: ["connectivity", "problem", "moving"] },
    payload_on: text,
    payload_off: text,
  }),
  event: component(["state_topic", "event_types"], {
    state_topic: topic,
    value_template: template,
    device_class: { enum: ["button", "doorbell", "motion"] },
    event_types: { type: "array", items: text, minItems: 1 },
  }),
};

/** TOPIC_MATCHER of `discovery.py`. */
const TOPIC = /^homeassistant\/(\w+)\/(?:([a-zA-Z0-9_-]+)\/)?([a-zA-Z0-9_-]+)\/config$/;

const ajv = new Ajv2020({ strict: false, allErrors: true });

/** The component of a configuration that Home Assistant takes. Throws for one that it would refuse. */
export function componentOf(
  topicName: string,
  payload: string,
): { component: string; config: Record<string, unknown> } {
  const component = TOPIC.exec(topicName)?.[1];
  const schema = component === undefined ? undefined : SCHEMAS[component];
  if (component === undefined || !schema) throw new Error(`no topic of a configuration: ${topicName}`);
  const config: Record<string, unknown> = JSON.parse(payload);
  const validate: ValidateFunction = ajv.compile(schema);
  if (!validate(config)) throw new Error(`${topicName}: ${ajv.errorsText(validate.errors)}`);
  return { component, config };
}
