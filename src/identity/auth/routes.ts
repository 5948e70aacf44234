import { Elysia } from "elysia";
import { config } from "../../config";
import { clientOf } from "../../kernel/http";
import { errors } from "../../kernel/schema";
import type { SessionCaller } from "../access/caller";
import { guard, type RateRule, takeFromLimit } from "../access/guard";
import { AuthResponse, LoginInput, Message } from "./schema";
import { login, logout } from "./service";

const loginLimit: RateRule = { name: "login", rate: () => config["rate_limit.login"] };

export const authRoutes = new Elysia({ prefix: "/v1/auth", tags: ["Authentication"] })
  .use(guard)
  .post(
    "/login",
    ({ body, request, set }) => {
      takeFromLimit(loginLimit, `identifier ${body.identifier.toLowerCase()}`, set.headers);
      return login(body, clientOf(request));
    },
    {
      open: { limit: loginLimit },
      body: LoginInput,
      response: { 200: AuthResponse, ...errors(401) },
      detail: {
        summary: "Sign in with password",
        description:
          "Signs in with username or email address and password and opens a session of 30 days. Send its token as `Authorization: Bearer <session_token>`. An unknown identifier and a wrong password get the same 401. Attempts are limited per address and per identifier.",
      },
    },
  )
  .post(
    "/logout",
    async ({ caller, request }) => {
      await logout(caller as SessionCaller, clientOf(request));
      return { message: "Signed out" };
    },
    {
      access: "session",
      response: { 200: Message },
      detail: {
        summary: "Sign out",
        description:
          "Ends the session whose token makes the request, and no other. Its WebSocket connections are closed.",
      },
    },
  );
