import { done } from "../../support/expectations";
import type { Settings } from "../../support/server";
import type { Caller } from "../releases";
import { reach } from "./beyond";
import { sail } from "./fleet";
import { Installation } from "./installation";
import { ANNA, authorize, gather } from "./people";
import { type Question, questions } from "./reading";
import { watch } from "./watch";

/** A short life of an installation, lived by its doors, so that every table of its database holds something. */

/** The remains of it: the server has ended. */
export interface Lived {
  dataDir: string;
  /** By the server's clock, epoch milliseconds. */
  endedAt: number;
  encryptionKey: string;
  /** Settings without which a server would forget what it told others. */
  settings: Settings;
  callers: Caller[];
  questions: Question[];
}

/** Lives that life. */
export async function live(): Promise<Lived> {
  const installation = await Installation.start();
  try {
    // First what takes hours of the server's clock: codes and tokens would run out.
    const fleet = await sail(installation);
    const watched = await watch(installation);
    await installation.comeUp();
    const people = await gather(installation, fleet.device);
    const beyond = await reach(installation, people);
    // Nobody listens at this port: the email waits.
    await installation.restart({ "email.transport": "smtp", "email.smtp_url": "smtp://127.0.0.1:9" });
    const { home, encryptionKey, ties } = installation;
    done(await home.post("/v1/auth/reset-password", { body: { email: ANNA.email } }));
    await authorize(installation, people);
    const callers: Caller[] = [
      { name: "admin", token: await home.admin() },
      { name: "anna", token: people.anna.token },
      { name: "system", token: home.systemKey },
    ];
    const asked = questions(people, fleet, watched, beyond);
    await home.stop();
    return {
      ...{ dataDir: home.dataDir, endedAt: home.time, encryptionKey, settings: ties },
      ...{ callers, questions: asked },
    };
  } finally {
    await installation.stop();
  }
}
