import type { Api } from "../support/api";
import { ADMIN, type TestServer } from "../support/server";

/** The number of open sockets according to the server. */
export const connections = async (server: Api): Promise<number> =>
  (await server.get("/health")).body.services.websocket.connections;

/** One more session of the admin. */
export async function adminSession(
  server: TestServer,
): Promise<{ id: string; token: string; userId: string }> {
  const { session_id, session_token, user_id } = await server.login(ADMIN.username, ADMIN.password);
  return { id: session_id, token: session_token, userId: user_id };
}
