import { iso, SECOND } from "../../../kernel/time/clock";
import { currentSession } from "../../../mqtt/broker/connection";
import { brokerState } from "../../../mqtt/broker/state";
import { wordsOf } from "../../../mqtt/broker/trouble";
import type { Outcome } from "../../../outbox/sender";
import type { TargetSettings } from "../../targets/table";
import type { Message } from "./outcome";

/** Time in which the broker must have acknowledged a message. */
const TIMEOUT = 10 * SECOND;

const later = (error: string): Outcome => ({ result: "later", status: null, error });

/** Publishes a message to the operator's broker, not retained. `data` is what the maker of the target may see. */
export async function sendToBroker(
  { topic = "" }: TargetSettings,
  { id, type, severity, title, body, at }: Message,
  data: Record<string, unknown>,
): Promise<Outcome> {
  const state = brokerState();
  if (state === null) return later("no MQTT broker is configured (mqtt.url)");
  const session = currentSession();
  if (!session) return later(`the MQTT broker is not connected: ${state.trouble?.en}`);
  const message = { id, type, timestamp: iso(at), severity, title, message: body, data };
  let timer: Timer | undefined;
  const late = new Promise<Outcome>((resolve) => {
    timer = setTimeout(
      () => resolve(later("the MQTT broker acknowledges nothing within 10 seconds")),
      TIMEOUT,
    );
  });
  const sent = session.publish(topic, JSON.stringify(message)).then(
    (): Outcome => ({ result: "delivered", status: null, error: null }),
    (error) => later(`the MQTT broker: ${wordsOf(error).en}`),
  );
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
  }
}
