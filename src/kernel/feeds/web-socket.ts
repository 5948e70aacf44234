/** Bun's message about the failure of a WebSocket, less the address, which may hold a secret. */
export const failureOf = (event: Event): string => {
  const { message } = event as { message?: unknown };
  return /.* failed: (.*)$/.exec(String(message))?.[1] ?? "it cannot be reached";
};
