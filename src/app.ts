import { type AnyElysia, Elysia } from "elysia";
import { alertRoutes } from "./alerts/alerts/routes";
import { anchorListRoutes, anchorRoutes } from "./alerts/anchor/routes";
import { deliveryRoutes } from "./alerts/deliveries/routes";
import { alertRuleRoutes } from "./alerts/rules/routes";
import { targetRoutes } from "./alerts/targets/routes";
import { authorizePages } from "./bridge/authorize/routes";
import { chartRoutes } from "./bridge/charts/routes";
import { firstStartRoutes } from "./bridge/first-start/routes";
import { bridgeRoutes } from "./bridge/routes";
import { shellRoutes } from "./bridge/shell/routes";
import { changeRoutes } from "./changes/routes";
import { pageRoutes } from "./docs/pages";
import { docsRoutes } from "./docs/routes";
import { graphqlRoutes } from "./graphql/routes";
import { noteBodies } from "./identity/access/guard";
import { credentialOf } from "./identity/access/presented";
import { accountRoutes } from "./identity/accounts/routes";
import { apiKeyRoutes } from "./identity/api-keys/routes";
import {
  adminAuditRoutes,
  internalAuditRoutes,
  ownAuditRoutes,
  userAuditRoutes,
} from "./identity/audit-log/routes";
import { authRoutes, ownPasswordRoutes } from "./identity/auth/routes";
import { banRoutes } from "./identity/bans/routes";
import { consentRoutes } from "./identity/consents/routes";
import { emailAddressRoutes } from "./identity/email-addresses/routes";
import { invitationRoutes } from "./identity/invitations/routes";
import { oauthRoutes } from "./identity/oauth/routes";
import { oauthClientRoutes } from "./identity/oauth-clients/routes";
import { ownPasskeyRoutes, passkeySignInRoutes } from "./identity/passkeys/routes";
import { platformRoutes } from "./identity/platforms/routes";
import { reauthenticationRoutes } from "./identity/reauthentication/routes";
import { permissionRoutes, roleRoutes } from "./identity/roles/routes";
import { internalSessionRoutes, ownSessionRoutes, userSessionRoutes } from "./identity/sessions/routes";
import { twoFactorAdminRoutes, twoFactorRoutes } from "./identity/two-factor/routes";
import { userRoutes } from "./identity/users/routes";
import { everyRequest, PathTable } from "./kernel/http/http";
import { lazy } from "./kernel/values/lazy";
import { communityRoutes } from "./operations/community/routes";
import { integrationRoutes } from "./operations/integrations/routes";
import { settingRoutes } from "./operations/settings/routes";
import { statsRoutes } from "./operations/stats/routes";
import { systemConfigRoutes } from "./operations/system-config/routes";
import { waterLevelRoutes } from "./operations/water-levels/routes";
import { adminDeletionRoutes, ownDeletionRoutes, userDeletionRoutes } from "./personal-data/deletion/routes";
import { exportRoutes } from "./personal-data/export/routes";
import { socketRoutes } from "./realtime/routes";
import { backupRoutes } from "./server/backup/routes";
import { doctorRoutes } from "./server/doctor/routes";
import { healthRoutes } from "./server/health/routes";
import { metricsRoutes } from "./server/metrics/routes";
import { boxRoutes } from "./sync/boxes/routes";
import { downRoutes } from "./sync/down/routes";
import { pushRoutes } from "./sync/push/routes";
import { categoryRoutes } from "./tracking/categories/routes";
import { crossingRoutes } from "./tracking/crossings/routes";
import { deviceRoutes } from "./tracking/devices/routes";
import { doorRoutes } from "./tracking/doors/routes";
import { geofenceRoutes } from "./tracking/geofences/routes";
import { gpsRoutes } from "./tracking/gps/routes";
import { importRoutes } from "./tracking/import/routes";
import { linkRoutes } from "./tracking/links/routes";
import { locationRoutes } from "./tracking/locations/routes";
import { logRoutes } from "./tracking/log/routes";
import { sharedRoutes } from "./tracking/shared/routes";
import { ownShareRoutes, shareRoutes } from "./tracking/shares/routes";
import { templateRoutes } from "./tracking/templates/routes";
import { timelineRoutes } from "./tracking/timeline/routes";
import { trackerRoutes } from "./tracking/trackers/routes";
import { trackRoutes } from "./tracking/tracks/routes";
import { tripRoutes } from "./tracking/trips/routes";

/** The API, and the text of its OpenAPI document, which is built on the first request for it. */
export interface App {
  app: AnyElysia;
  document: () => Promise<string>;
}

/** The API's table of contents: composes the routes and never listens. */
export function createApp(): App {
  const paths = new PathTable();
  const document: () => Promise<string> = lazy(() =>
    import("./docs/document").then(({ buildDocument }) => buildDocument(app)).then(JSON.stringify),
  );
  let answer: (request: Request) => Promise<Response>;
  const app = new Elysia({
    normalize: true,
    // A Host header may be shorter than the four characters that Elysia assumes.
    handler: { standardHostname: false },
    serve: { maxRequestBodySize: Number.MAX_SAFE_INTEGER },
  })
    .use(everyRequest(paths, credentialOf))
    .use(healthRoutes)
    .use(metricsRoutes)
    .use(doctorRoutes)
    .use(backupRoutes)
    .use(authRoutes)
    .use(ownPasswordRoutes)
    .use(reauthenticationRoutes)
    .use(passkeySignInRoutes)
    .use(ownPasskeyRoutes)
    .use(twoFactorRoutes)
    .use(twoFactorAdminRoutes)
    .use(ownSessionRoutes)
    .use(userSessionRoutes)
    .use(internalSessionRoutes)
    .use(userRoutes)
    .use(userDeletionRoutes)
    .use(invitationRoutes)
    .use(emailAddressRoutes)
    .use(accountRoutes)
    .use(platformRoutes)
    .use(banRoutes)
    .use(ownDeletionRoutes)
    .use(adminDeletionRoutes)
    .use(roleRoutes)
    .use(permissionRoutes)
    .use(oauthClientRoutes)
    .use(oauthRoutes)
    .use(consentRoutes)
    .use(apiKeyRoutes)
    .use(ownAuditRoutes)
    .use(userAuditRoutes)
    .use(adminAuditRoutes)
    .use(internalAuditRoutes)
    .use(exportRoutes)
    .use(graphqlRoutes)
    .use(changeRoutes)
    .use(gpsRoutes)
    .use(deviceRoutes)
    .use(trackerRoutes)
    .use(shareRoutes)
    .use(ownShareRoutes)
    .use(linkRoutes)
    .use(sharedRoutes)
    .use(trackRoutes)
    .use(doorRoutes)
    .use(importRoutes)
    .use(tripRoutes)
    .use(logRoutes)
    .use(locationRoutes)
    .use(geofenceRoutes)
    .use(crossingRoutes)
    .use(timelineRoutes)
    .use(alertRoutes)
    .use(anchorListRoutes)
    .use(anchorRoutes)
    .use(alertRuleRoutes)
    .use(targetRoutes)
    .use(deliveryRoutes)
    .use(categoryRoutes)
    .use(templateRoutes)
    .use(boxRoutes)
    .use(downRoutes)
    .use(pushRoutes)
    .use(settingRoutes)
    .use(systemConfigRoutes)
    .use(waterLevelRoutes)
    .use(integrationRoutes)
    .use(statsRoutes)
    .use(communityRoutes)
    .use(socketRoutes)
    .use(chartRoutes)
    .use(authorizePages)
    .use(firstStartRoutes)
    .use(bridgeRoutes((request) => answer(request)))
    .use(shellRoutes())
    .use(docsRoutes(document))
    .use(pageRoutes);
  answer = (request) => app.handle(request);
  paths.fill(app.routes);
  refuseUnmarked(app);
  noteBodies(app.routes);
  return { app, document };
}

/** Closed unless declared open: a route without an access mark is a mistake that must not start. */
function refuseUnmarked(app: AnyElysia): void {
  for (const { method, path, hooks } of app.routes)
    if (!hooks.detail?.["x-access"]) throw new Error(`${method} ${path} declares neither access nor open`);
}
