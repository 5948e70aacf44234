import { configSources, publicUrl } from "../../configuration/config";
import { originOf } from "../../kernel/http/client";

/**
 * The issuer (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2): `server.public_url` where that is configured,
 * else the address that the request came by. It has no slash at its end.
 */
export const issuerOf = (request: Request): string =>
  configSources["server.public_url"] === "default" ? originOf(request) : publicUrl().replace(/\/+$/, "");
