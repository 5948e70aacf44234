import { config } from "../../configuration/config";
import { transact } from "../../kernel/db/transactions";
import { setSources } from "./link";
import { includedKinds } from "./settings";
import { Shore } from "./shore";
import { endTransfer } from "./state";
import { Transfer } from "./transfer";
import { Worker } from "./worker";

/** Starts to tell the configured shore what this box keeps, and returns the stop. Without a shore nothing is kept for one. */
export async function startSync(): Promise<() => Promise<void>> {
  const { "sync.url": url, "sync.token": token } = config;
  if (url === null || token === null) {
    await transact(endTransfer);
    return async () => {};
  }
  const transfer = await Transfer.open(includedKinds());
  setSources({ backlog: () => transfer.backlog(), acknowledged: () => transfer.acknowledged() });
  const stop = new Worker(transfer, new Shore(url, token)).start();
  return async () => {
    await stop();
    setSources(null);
  };
}
