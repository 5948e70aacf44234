import { progressOf } from "./progress";

/** The number of rounds of a measurement. */
export interface Rounds {
  rounds: number;
  /** Rounds before them that don't count, since the server still compiles its hot paths. */
  warmUpRounds: number;
}

/**
 * Measures each server; returns the findings in the order of the rounds. The servers take turns, so that
 * other load on the machine meets them alike.
 */
export async function inTurn<Server, Found>(
  what: string,
  servers: Server[],
  { rounds, warmUpRounds }: Rounds,
  measure: (server: Server) => Promise<Found>,
): Promise<Found[][]> {
  const found: Found[][] = servers.map(() => []);
  for (let round = -warmUpRounds; round < rounds; round++) {
    progressOf(what, round, rounds);
    for (const [at, server] of servers.entries()) {
      const measured = await measure(server);
      if (round >= 0) found[at]?.push(measured);
    }
  }
  return found;
}
