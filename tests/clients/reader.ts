import type * as Package from "../../clients/ts/src/index";

/** A program that reads channels with the client, the same in each runtime. It is handed the package. */

export interface Reading {
  url: string;
  token: string;
  since: string;
  channels: string[];
  /** True to have no sockets. */
  isPolling?: boolean;
}

/** One line of the reader's report. */
export type Line =
  | { channel: string; cursor: string; type: string; id: string | null }
  | { channel: string; reset: string }
  | { channel: string; error: string }
  | { state: string };

/** Reads until the process ends; `tell` is called with each line of the report. */
export function read(
  { connect }: Pick<typeof Package, "connect">,
  { url, token, since, channels, isPolling = false }: Reading,
  tell: (line: Line) => void,
): Package.Client {
  const client = connect({
    ...{ url, token, minPauseMs: 1, maxPauseMs: 40 },
    ...(isPolling && { WebSocket: null }),
    onState: (state) => tell({ state }),
  });
  for (const channel of channels as Exclude<Package.Channel, "vessels">[])
    client.subscribe(channel, {
      since,
      onChange: ({ cursor, type, data }) =>
        tell({ channel, cursor, type, id: "id" in data ? data.id : null }),
      onReset: (_, reset) => tell({ channel, reset }),
      onError: ({ error }) => tell({ channel, error }),
    });
  return client;
}
