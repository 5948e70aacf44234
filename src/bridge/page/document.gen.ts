// Written by `bun run generate:client`. Do not edit.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["healthRootPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["livenessRootPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["liveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readinessRootPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["apiAtGlance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["examineInstallation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBackups"];
        put?: never;
        post: operations["beginBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyEmailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signInWithPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/2fa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeSignInWithSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/2fa/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["checkWhetherSignInNeedsSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset-password/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["setNewPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["changeOwnPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["proveAgainWhoYouAre"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reauthenticate/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["askForPasskeyToProveAgainWhoYouAre"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["askForPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/2fa/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["askForPasskeyAsSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/2fa/passkey/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeSignInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnPasskeys"];
        put?: never;
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["askForNewPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/v1/users/me/2fa/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTwoFactorStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/2fa/requirement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTwoFactorRequirement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/2fa/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["setUpTwoFactorAuthentication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/2fa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeSetUpOfTwoFactorAuthentication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/2fa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["turnTwoFactorAuthenticationOff"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/2fa/backup-codes/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["regenerateBackupCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/2fa/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["unlockUserTwoFactorAuthentication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        delete: operations["revokeAllOtherOwnSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revokeOneOwnSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["endAllSessionsOfUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSessionByItsToken"];
        put?: never;
        post?: never;
        delete: operations["endSessionByItsToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOwnUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch: operations["changeUser"];
        trace?: never;
    };
    "/v1/users/{id}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUserProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/locale": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["chooseUserLocale"];
        trace?: never;
    };
    "/v1/users/{id}/username": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["changeUserUsername"];
        trace?: never;
    };
    "/v1/users/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listUserPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listUserRoles"];
        put?: never;
        post: operations["assignRoleToUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removeRoleFromUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listInvitations"];
        put?: never;
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/{token}/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["askForPasskeyOfInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/email/request-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requestChangeOfEmailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyChangeOfEmailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/email/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPendingChangeOfEmailAddress"];
        put?: never;
        post?: never;
        delete: operations["cancelPendingChangeOfEmailAddress"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/email-link/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requestToLinkEmailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/email-link/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyLinkedEmailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/email-link/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPendingEmailAddress"];
        put?: never;
        post?: never;
        delete: operations["cancelPendingEmailAddress"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPlatformAccountsOfUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/accounts/{account_id}/primary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["makePlatformAccountPrimary"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["unlinkPlatformAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/oauth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["noteSignInThroughExternalProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/email/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["findUserByEmailAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPlatforms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listEnabledPlatforms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/{id_or_slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/platforms/{id_or_slug}/enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["switchPlatformOnOrOff"];
        trace?: never;
    };
    "/v1/platforms/{id_or_slug}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["changePlatformSettings"];
        trace?: never;
    };
    "/v1/users/{id}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUserBan"];
        put?: never;
        post: operations["banUser"];
        delete: operations["unbanUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/bans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listUserBans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDeletionStatusOfOwnAccount"];
        put?: never;
        post: operations["scheduleDeletionOfOwnAccount"];
        delete: operations["cancelDeletionOfOwnAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}/deletion-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUserDeletionStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}/cancel-deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelUserDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}/force-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["deleteUserForGood"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRoles"];
        put?: never;
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getRole"];
        put?: never;
        post?: never;
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch: operations["changeRole"];
        trace?: never;
    };
    "/v1/roles/{id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPermissionsOfRole"];
        put?: never;
        post: operations["addPermissionToRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles/{id}/permissions/{permission_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removePermissionFromRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPermissions"];
        put?: never;
        post: operations["createPermission"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/permissions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPermission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnOAuthClients"];
        put?: never;
        post: operations["createOAuthClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth/clients/all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAllOAuthClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oauth/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOAuthClient"];
        put?: never;
        post?: never;
        delete: operations["deleteOAuthClient"];
        options?: never;
        head?: never;
        patch: operations["changeOAuthClient"];
        trace?: never;
    };
    "/v1/oauth/clients/{id}/regenerate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["regenerateSecretOfOAuthClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOpenIdConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAuthorizationServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/jwks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requestTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUserInfo"];
        put?: never;
        post: operations["postForUserInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/consents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revokeOwnConsent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/ways-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWaysToSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["exchangeCodeOfProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/{name}/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["proveAgainAtProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnIdentities"];
        put?: never;
        post: operations["linkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/identities/begin/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["beginToLinkIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/ways-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOwnWaysIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listApiKeys"];
        put?: never;
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        patch: operations["changeApiKey"];
        trace?: never;
    };
    "/v1/api-keys/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["regenerateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRolesOfApiKey"];
        put?: never;
        post: operations["assignRoleToApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removeRoleFromApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/audit/{event_id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reportAuditEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/audit/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnAuditReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAuditEventsOfUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["verifyAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAuditReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit/reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["handleAuditReport"];
        trace?: never;
    };
    "/v1/internal/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["writeAuditEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportOwnPersonalData"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/export/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnExports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/graphql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["queryByGraphQL"];
        put?: never;
        post: operations["askByGraphQL"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPositions"];
        put?: never;
        post: operations["postPosition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gps/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCurrentPosition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gps/current/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCurrentPositionOfEachDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/gps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPosition"];
        put?: never;
        post?: never;
        delete: operations["deletePosition"];
        options?: never;
        head?: never;
        patch: operations["markPosition"];
        trace?: never;
    };
    "/v1/gps/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["postPositions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDevices"];
        put?: never;
        post: operations["createDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getDevice"];
        put?: never;
        post?: never;
        delete: operations["deleteDevice"];
        options?: never;
        head?: never;
        patch: operations["changeDevice"];
        trace?: never;
    };
    "/v1/devices/{id}/trackers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTrackers"];
        put?: never;
        post: operations["createTracker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/trackers/{tracker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTracker"];
        put?: never;
        post?: never;
        delete: operations["deleteTracker"];
        options?: never;
        head?: never;
        patch: operations["changeTracker"];
        trace?: never;
    };
    "/v1/devices/{id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/shares/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getShare"];
        put: operations["shareDevice"];
        post?: never;
        delete: operations["endShare"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/share-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listShareLinks"];
        put?: never;
        post: operations["createShareLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/share-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getShareLink"];
        put?: never;
        post?: never;
        delete: operations["deleteShareLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getShared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSharedTrack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTrackOfDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/track": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTrackOfTrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/owntracks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromOwnTracks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/owntracks/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromOwnTracksByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/osmand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["takeGetFromOsmAnd"];
        put?: never;
        post: operations["takePostFromOsmAnd"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/osmand/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["takeGetFromOsmAndByAddress"];
        put?: never;
        post: operations["takePostFromOsmAndByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/overland": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromOverland"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/overland/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromOverlandByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/dawarich/api/v1/overland/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromDawarich"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/dawarich/api/v1/overland/batches/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromDawarichByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/gpslogger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["takeGetFromGpsLogger"];
        put?: never;
        post: operations["takePostFromGpsLogger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/gpslogger/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["takeGetFromGpsLoggerByAddress"];
        put?: never;
        post: operations["takePostFromGpsLoggerByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/traccar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromTraccar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/traccar/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromTraccarByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/generic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromGeneric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest/generic/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["takeFromGenericByAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["importPositions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTrips"];
        put?: never;
        post: operations["createTrip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTrip"];
        put?: never;
        post?: never;
        delete: operations["deleteTrip"];
        options?: never;
        head?: never;
        patch: operations["changeTripOrItsStatus"];
        trace?: never;
    };
    "/v1/trips/{id}/gps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPositionsOfTrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listStatusChangesOfTrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getLogOfTrip"];
        put?: never;
        post: operations["writeLogEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/log/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["verifyLogOfTrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/log/{entry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getLogEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/log/{entry_id}/strike": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["strikeLogEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listLocations"];
        put?: never;
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getLocation"];
        put?: never;
        post?: never;
        delete: operations["deleteLocation"];
        options?: never;
        head?: never;
        patch: operations["changeLocation"];
        trace?: never;
    };
    "/v1/locations/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locations/{id}/contacts/{cid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        patch: operations["changeContact"];
        trace?: never;
    };
    "/v1/geofences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listZones"];
        put?: never;
        post: operations["createZone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/geofences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getZone"];
        put?: never;
        post?: never;
        delete: operations["deleteZone"];
        options?: never;
        head?: never;
        patch: operations["changeZone"];
        trace?: never;
    };
    "/v1/geofence-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCrossings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/geofence-events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCrossing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/geofence-presence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPresence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/geofences/{id}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDevicesInZone"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/geofences/{id}/visits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listVisitsOfZone"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTimelineOfDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatisticsOfDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trips/{id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatisticsOfTrip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatisticsOfDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAlert"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acknowledgeAlert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/anchor-watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAnchorWatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/anchor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAnchorWatch"];
        put: operations["setAnchorWatch"];
        post?: never;
        delete: operations["endAnchorWatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{id}/anchor/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testAnchorWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAlertRules"];
        put?: never;
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAlertRule"];
        put?: never;
        post?: never;
        delete: operations["deleteAlertRule"];
        options?: never;
        head?: never;
        patch: operations["changeAlertRule"];
        trace?: never;
    };
    "/v1/notification-targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listNotificationTargets"];
        put?: never;
        post: operations["createNotificationTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-targets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNotificationTarget"];
        put?: never;
        post?: never;
        delete: operations["deleteNotificationTarget"];
        options?: never;
        head?: never;
        patch: operations["changeNotificationTarget"];
        trace?: never;
    };
    "/v1/notification-targets/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateSecretOfNotificationTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-targets/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testNotificationTarget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notification-targets/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDeliveriesOfNotificationTarget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trip-categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTripCategories"];
        put?: never;
        post: operations["createTripCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trip-categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTripCategory"];
        put?: never;
        post?: never;
        delete: operations["deleteTripCategory"];
        options?: never;
        head?: never;
        patch: operations["changeTripCategory"];
        trace?: never;
    };
    "/v1/trip-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTripTemplates"];
        put?: never;
        post: operations["createTripTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trip-templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTripTemplate"];
        put?: never;
        post?: never;
        delete: operations["deleteTripTemplate"];
        options?: never;
        head?: never;
        patch: operations["changeTripTemplate"];
        trace?: never;
    };
    "/v1/trip-templates/{id}/create-trip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createTripFromTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/boxes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBoxes"];
        put?: never;
        post: operations["createBox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/boxes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBox"];
        put?: never;
        post?: never;
        delete: operations["deleteBox"];
        options?: never;
        head?: never;
        patch: operations["changeBox"];
        trace?: never;
    };
    "/v1/sync/boxes/{id}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateTokenOfBox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/boxes/{id}/resync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resyncBox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSetOfBox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pushOfBox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSystemSettings"];
        put?: never;
        post: operations["createSystemSetting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/public": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPublicSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSystemSetting"];
        put: operations["replaceSystemSetting"];
        post?: never;
        delete: operations["deleteSystemSetting"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system-config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSystemConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system-config/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSystemConfigEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["changeSystemConfigEntry"];
        trace?: never;
    };
    "/v1/pegel/nearest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNearestWaterLevel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pegel/nearby": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getNearbyWaterLevel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pegel/stations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWaterLevelStations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pegel/stations/{station_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWaterLevelHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pegel/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWaterLevelHistories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnIntegrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listIntegrationPlatforms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/platform/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnIntegrationsOfPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/platform/{slug}/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listScopesOfPlatform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/platform/{slug}/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["connectAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/callback/{platform}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["completeConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getIntegration"];
        put?: never;
        post?: never;
        delete: operations["removeIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["renewTokensOfIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["readStatsOfChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{id}/stream-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["setBotStatusOfIntegration"];
        trace?: never;
    };
    "/v1/stats/public": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPublicStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listGuilds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGuild"];
        put?: never;
        post?: never;
        delete: operations["deleteGuild"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listGuildChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/full": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGuildWithItsChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["syncGuilds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBotSettings"];
        put: operations["changeBotSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBotSettingsOnGuild"];
        put: operations["changeBotSettingsOnGuild"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["findMembersOfGuild"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getMemberOfGuild"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/community/guilds/{guild_id}/members/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["syncMembersOfGuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["openWebSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listCharts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/charts/{name}/{z}/{x}/{y}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getChartTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/first-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getFirstStart"];
        put?: never;
        post: operations["makeFirstAdministrator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/first-start/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["renewFirstStartCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSessionOfPage"];
        put?: never;
        post: operations["signInOnPage"];
        delete: operations["signOutOfPage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/session/2fa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeSignInOnPage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signInOnPageWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/session/2fa/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeSignInOnPageWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signInOnPageThroughProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAddressesOfServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createDownload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bridge/downloads/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["openDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/signin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @deprecated */
        post: operations["signInNotImplemented"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @deprecated */
        post: operations["validateNotImplemented"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Acceptance: {
            username: string;
            password?: string | null;
            passkey?: components["schemas"]["NewPasskey"] | null;
            /** Format: email */
            email?: string | null;
            /** @enum {string|null} */
            locale?: "en" | "de" | null;
        };
        Acknowledgement: {
            note?: string | null;
        };
        ActiveSession: {
            /** Format: uuid */
            id: string;
            ip_address: string;
            user_agent: string;
            /** @enum {string} */
            device_type: "desktop" | "mobile" | "tablet";
            browser_name: string;
            os_name: string;
            provider: string;
            provider_name: string;
            /** Format: date-time */
            last_activity_at: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            is_current: boolean;
        };
        Alert: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            rule_id: string | null;
            rule_name: string | null;
            /** @enum {string} */
            condition: "zone" | "silence" | "speed" | "anchor" | "battery" | "water_level" | "system";
            /** @enum {string|null} */
            event: "enter" | "exit" | "passed" | "dwell" | null;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            /** @enum {string} */
            status: "open" | "acknowledged" | "cleared";
            /** Format: uuid */
            device_id: string | null;
            device_name: string | null;
            /** Format: uuid */
            geofence_id: string | null;
            geofence_name: string | null;
            subject: string | null;
            subject_name: string | null;
            message: string;
            has_own_message: boolean;
            value: number | null;
            latitude: number | null;
            longitude: number | null;
            /** Format: date-time */
            position_at: string | null;
            /** Format: int64 */
            count: number;
            is_corrected: boolean;
            /** Format: date-time */
            raised_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            cleared_at: string | null;
            /** Format: date-time */
            acknowledged_at: string | null;
            /** Format: uuid */
            acknowledged_by: string | null;
            acknowledge_note: string | null;
            /** Format: date-time */
            escalated_at: string | null;
            /** Format: uuid */
            box_id: string | null;
        };
        AlertCondition: components["schemas"]["ZoneCondition"] | components["schemas"]["SilenceCondition"] | components["schemas"]["SpeedCondition"] | components["schemas"]["AnchorCondition"] | components["schemas"]["BatteryCondition"] | components["schemas"]["WaterLevelCondition"] | components["schemas"]["SystemCondition"];
        AlertPage: {
            data: components["schemas"]["Alert"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        AlertRule: {
            /** Format: uuid */
            id: string;
            name: string;
            is_active: boolean;
            is_silent: boolean;
            is_orphaned: boolean;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            device_ids: string[];
            condition: components["schemas"]["AlertCondition"];
            /** Format: int32 */
            hold_seconds: number;
            /** Format: int32 */
            cooldown_seconds: number;
            schedule: components["schemas"]["Schedule"] | null;
            target_ids: string[] | null;
            /** Format: int32 */
            escalate_after_seconds: number | null;
            escalate_target_ids: string[] | null;
            message: string | null;
            box_ids: string[];
            is_from_shore: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AlertRuleChange: {
            name?: string;
            is_active?: boolean;
            /** @enum {string} */
            severity?: "info" | "warning" | "alarm";
            device_ids?: string[];
            condition?: components["schemas"]["AlertCondition"];
            /** Format: int32 */
            hold_seconds?: number;
            /** Format: int32 */
            cooldown_seconds?: number;
            schedule?: components["schemas"]["Schedule"] | null;
            target_ids?: string[] | null;
            /** Format: int32 */
            escalate_after_seconds?: number | null;
            escalate_target_ids?: string[] | null;
            message?: string | null;
            box_ids?: string[];
        };
        AlertRulePage: {
            data: components["schemas"]["AlertRule"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        AlertWithDeliveries: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            rule_id: string | null;
            rule_name: string | null;
            /** @enum {string} */
            condition: "zone" | "silence" | "speed" | "anchor" | "battery" | "water_level" | "system";
            /** @enum {string|null} */
            event: "enter" | "exit" | "passed" | "dwell" | null;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            /** @enum {string} */
            status: "open" | "acknowledged" | "cleared";
            /** Format: uuid */
            device_id: string | null;
            device_name: string | null;
            /** Format: uuid */
            geofence_id: string | null;
            geofence_name: string | null;
            subject: string | null;
            subject_name: string | null;
            message: string;
            has_own_message: boolean;
            value: number | null;
            latitude: number | null;
            longitude: number | null;
            /** Format: date-time */
            position_at: string | null;
            /** Format: int64 */
            count: number;
            is_corrected: boolean;
            /** Format: date-time */
            raised_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            cleared_at: string | null;
            /** Format: date-time */
            acknowledged_at: string | null;
            /** Format: uuid */
            acknowledged_by: string | null;
            acknowledge_note: string | null;
            /** Format: date-time */
            escalated_at: string | null;
            /** Format: uuid */
            box_id: string | null;
            deliveries: components["schemas"]["Delivery"][];
        };
        AnchorCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "anchor";
        };
        AnchorDrop: {
            latitude?: number;
            longitude?: number;
            bearing_deg?: number;
            distance_m?: number;
            radius_m: number;
            warning_radius_m?: number | null;
            /**
             * Format: int32
             * @default 120
             */
            silence_seconds: number;
            /**
             * Format: int32
             * @default 2
             */
            confirm_fixes: number;
            /** @enum {string} */
            severity?: "info" | "warning" | "alarm";
            target_ids?: string[] | null;
        };
        AnchorTest: {
            deliveries: components["schemas"]["Delivery"][];
        };
        AnchorWatch: {
            /** Format: uuid */
            device_id: string;
            /** @enum {string} */
            state: "holding" | "warning" | "dragging" | "silent";
            latitude: number;
            longitude: number;
            radius_m: number;
            warning_radius_m: number | null;
            /** Format: int64 */
            silence_seconds: number;
            /** Format: int64 */
            confirm_fixes: number;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            target_ids: string[] | null;
            /** Format: date-time */
            dropped_at: string;
            distance_m: number | null;
            bearing_deg: number | null;
            max_distance_m: number;
            /** Format: date-time */
            last_position_at: string | null;
            /** Format: uuid */
            alert_id: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        AnchorWatchPage: {
            data: components["schemas"]["AnchorWatch"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        ApiInfo: {
            version: string;
            commit: string | null;
            /** Format: date-time */
            built_at: string | null;
            server: {
                /** Format: int64 */
                uptime: number;
            };
            client: {
                ip: string;
                userAgent: string;
                browser: string;
                os: string;
            };
            /** Format: date-time */
            timestamp: string;
            _links: {
                self: string;
                health: string;
                documentation?: string;
                openapi: string;
                asyncapi: string;
            };
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            key_prefix: string;
            name: string;
            description: string | null;
            scopes: string[];
            is_active: boolean;
            is_system: boolean;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ApiKeyChange: {
            name?: string;
            description?: string | null;
            scopes?: string[] | null;
            /** Format: date-time */
            expires_at?: string | null;
            is_active?: boolean;
            password?: string | null;
            code?: string | null;
        };
        ApiKeyListing: {
            data: components["schemas"]["ApiKey"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        Assertion: {
            id: string;
            /** @constant */
            type: "public-key";
            response: {
                clientDataJSON: string;
                authenticatorData: string;
                signature: string;
                userHandle?: string | null;
            };
        };
        AssignedRule: {
            /** Format: uuid */
            id: string;
            name: string;
            is_active: boolean;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            device_ids: string[];
            condition: components["schemas"]["AlertCondition"];
            /** Format: int32 */
            hold_seconds: number;
            /** Format: int32 */
            cooldown_seconds: number;
            schedule: components["schemas"]["Schedule"] | null;
            message: string | null;
        };
        AssignedSet: {
            /** Format: int64 */
            form: number;
            tag: string;
            /** Format: int64 */
            version: number;
            zones: components["schemas"]["AssignedZone"][];
            rules: components["schemas"]["AssignedRule"][];
        };
        AssignedZone: {
            /** Format: uuid */
            id: string;
            name: string;
            latitude: number;
            longitude: number;
            radius_km: number;
            /** @enum {string} */
            kind: "circle" | "polygon" | "corridor";
            geometry: {
                /** @enum {string} */
                type: "Polygon" | "MultiPolygon" | "LineString";
                coordinates: unknown[][];
            } | null;
            width_m: number | null;
            /** Format: int32 */
            enter_after_s: number;
            /** Format: int32 */
            exit_after_s: number;
            /** Format: int32 */
            confirm_fixes: number;
            description: string | null;
            exit_margin_m: number | null;
            max_accuracy_m: number | null;
            /** Format: int32 */
            dwell_seconds: number | null;
            color: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            is_active: boolean;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            user_id: string | null;
            event_type: string;
            resource_type: string | null;
            resource_id: string | null;
            actor_id: string | null;
            ip_address: string | null;
            user_agent: string | null;
            description: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            status: "success" | "failure";
            error_message: string | null;
            country_code: string | null;
            country_name: string | null;
            city: string | null;
            region: string | null;
            source_service: string;
            recorded_by: {
                /** @enum {string} */
                kind: "key" | "user" | "app" | "client";
                id: string;
            } | null;
            /** Format: date-time */
            created_at: string;
            is_reported: boolean;
            hash: string | null;
        };
        AuditPage: {
            events: components["schemas"]["AuditEvent"][];
            /** Format: int64 */
            total_count: number;
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            total_pages: number;
            _links: components["schemas"]["PageLinks"];
        };
        AuditReport: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            audit_event_id: string;
            /** Format: uuid */
            user_id: string;
            /** @enum {string} */
            reason: "not_me" | "suspicious" | "unknown_device" | "unknown_location" | "other";
            description: string | null;
            /** @enum {string} */
            status: "pending" | "reviewed" | "resolved" | "dismissed";
            reviewed_by: string | null;
            /** Format: date-time */
            reviewed_at: string | null;
            resolution_notes: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AuditReportChange: {
            /** @enum {string} */
            status?: "pending" | "reviewed" | "resolved" | "dismissed";
            resolution_notes?: string | null;
        };
        AuditReportResult: {
            success: boolean;
            report: components["schemas"]["AuditReport"];
            error: null;
        };
        AuditVerification: {
            is_intact: boolean;
            /** Format: int64 */
            entries: number;
            /** Format: int64 */
            scrubbed: number;
            /** Format: int64 */
            aged_out: number;
            head: {
                /** Format: int64 */
                number: number;
                hash: string | null;
            };
            first_break: {
                event_id: string | null;
                /** Format: int64 */
                number: number;
                /** @enum {string} */
                reason: "changed" | "missing" | "unchained";
            } | null;
            /** Format: int64 */
            next_after: number | null;
        };
        AuthResponse: {
            /** Format: uuid */
            user_id: string;
            email: string;
            username: string;
            session_token?: string;
            /** Format: uuid */
            session_id?: string;
            /** Format: date-time */
            expires_at?: string;
            provider: string | null;
            requires_2fa: boolean;
            temp_token?: string;
            second_factors?: ("code" | "passkey")[];
            /** @enum {string|null} */
            preferred_locale: "en" | "de" | null;
        };
        AutoTrip: {
            is_enabled: boolean;
            /**
             * Format: int32
             * @default 3
             */
            start_after_minutes: number;
            /**
             * Format: int32
             * @default 20
             */
            end_after_minutes: number;
            /** @default 0.5 */
            min_distance_km: number;
            /** @default {origin} {date} {time} */
            name_template: string;
        };
        Backup: {
            name: string;
            /** @enum {string} */
            kind: "scheduled" | "before_migration";
            /** Format: date-time */
            made_at: string;
            /** Format: int64 */
            bytes: number;
        };
        BackupCodes: {
            success: boolean;
            backup_codes: string[];
            message: string;
            platform_slug: string;
        };
        Backups: {
            backups: components["schemas"]["Backup"][];
            interval_hours: number;
            keep: number;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            failed_at: string | null;
            error: string | null;
        };
        Ban: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            reason: string | null;
            /** Format: uuid */
            banned_by: string | null;
            /** Format: date-time */
            banned_at: string;
            /** Format: date-time */
            expires_at: string | null;
            is_permanent: boolean;
        };
        BanListing: {
            data: components["schemas"]["PastBan"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        BanStatus: {
            is_banned: boolean;
            active_ban: components["schemas"]["Ban"] | null;
        };
        BatchAnswer: {
            /** Format: int64 */
            stored: number;
            /** Format: int64 */
            duplicates: number;
            /** Format: int64 */
            rejected: number;
            results: components["schemas"]["BatchResult"][];
        };
        BatchResult: {
            /** Format: int64 */
            index: number;
            /** @enum {string} */
            status: "stored" | "duplicate" | "rejected";
            /** Format: uuid */
            id: string | null;
            /** @enum {string|null} */
            reason: "malformed" | "no_fix" | "no_time" | "in_the_future" | "implausible_time" | "too_large" | "not_decrypted" | "unknown_device" | null;
        };
        BatteryCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "battery";
            below_percent: number;
        };
        BotStatusChange: {
            /** @enum {string} */
            bot_status: "active" | "paused" | "disabled";
        };
        BotStatusResult: {
            success: boolean;
            /** @enum {string} */
            bot_status: "active" | "paused" | "disabled";
        };
        Box: {
            /** Format: uuid */
            id: string;
            name: string;
            token_prefix: string;
            /** Format: uuid */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_contact_at: string | null;
            acknowledged: {
                [key: string]: number;
            };
            /** Format: int64 */
            backlog_estimate: number | null;
            /** Format: int64 */
            bytes_today: number;
            /** Format: int64 */
            clock_offset_ms: number | null;
            version: string | null;
            /** Format: int64 */
            skipped_rows: number;
            /** Format: int64 */
            refused_rows: number;
            /** Format: int64 */
            assigned_version: number;
            /** Format: int64 */
            applied_version: number | null;
            error: string | null;
        };
        BoxChange: {
            name?: string;
        };
        BoxPage: {
            data: components["schemas"]["Box"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        Change_alertAcknowledged: {
            cursor: string;
            /** @constant */
            type: "alertAcknowledged";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        Change_alertCleared: {
            cursor: string;
            /** @constant */
            type: "alertCleared";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        Change_alertRaised: {
            cursor: string;
            /** @constant */
            type: "alertRaised";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        Change_alertUpdated: {
            cursor: string;
            /** @constant */
            type: "alertUpdated";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        Change_deviceUpdate: {
            cursor: string;
            /** @constant */
            type: "deviceUpdate";
            data: components["schemas"]["Device"] | components["schemas"]["GoneRecord"];
        };
        Change_geofenceCorrection: {
            cursor: string;
            /** @constant */
            type: "geofenceCorrection";
            data: components["schemas"]["ZoneCorrection"];
        };
        Change_geofenceEvent: {
            cursor: string;
            /** @constant */
            type: "geofenceEvent";
            data: components["schemas"]["GeofenceCrossing"];
        };
        Change_gpsLate: {
            cursor: string;
            /** @constant */
            type: "gpsLate";
            data: components["schemas"]["LateSpan"];
        };
        Change_gpsUpdate: {
            cursor: string;
            /** @constant */
            type: "gpsUpdate";
            data: components["schemas"]["ToldPosition"] | components["schemas"]["GoneRecord"];
        };
        Change_tripUpdate: {
            cursor: string;
            /** @constant */
            type: "tripUpdate";
            data: components["schemas"]["Trip"] | components["schemas"]["GoneRecord"];
        };
        ChangedPlatform: {
            success: boolean;
            message: string;
            platform: {
                /** Format: uuid */
                id: string;
                name: string;
                slug: string;
                enabled: boolean;
                two_factor_required: boolean;
                registration_enabled: boolean;
            };
        };
        Changes: {
            changes: (components["schemas"]["Change_gpsUpdate"] | components["schemas"]["Change_gpsLate"] | components["schemas"]["Change_geofenceEvent"] | components["schemas"]["Change_geofenceCorrection"] | components["schemas"]["Change_tripUpdate"] | components["schemas"]["Change_deviceUpdate"] | components["schemas"]["Change_alertRaised"] | components["schemas"]["Change_alertUpdated"] | components["schemas"]["Change_alertAcknowledged"] | components["schemas"]["Change_alertCleared"])[];
            next: string;
            is_complete: boolean;
        };
        ChannelStats: {
            /** Format: int64 */
            followers: number;
            /** Format: int64 */
            subscribers: number;
            is_live: boolean;
            /** Format: int64 */
            current_viewers: number;
            stream_title: string | null;
            game_name: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        ChannelStatsResult: {
            success: boolean;
            stats: components["schemas"]["ChannelStats"];
        };
        Chart: {
            name: string;
            title: string | null;
            description: string | null;
            attribution: string | null;
            built_in: boolean;
            /** @enum {string} */
            type: "vector" | "raster";
            /** @enum {string} */
            format: "png" | "jpeg" | "webp" | "mvt" | "mlt";
            /** Format: int64 */
            tile_size: number | null;
            /** Format: int64 */
            minzoom: number;
            /** Format: int64 */
            maxzoom: number;
            bounds: number[];
            tiles: string[];
            vector_layers: components["schemas"]["ChartVectorLayer"][];
            layers: ({
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null)[] | null;
        };
        ChartListing: {
            data: components["schemas"]["Chart"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        ChartVectorLayer: {
            id: string;
        };
        CommunityChannel: {
            /** Format: uuid */
            id: string;
            channel_id: string;
            guild_id: string;
            name: string;
            channel_type: string;
            /** Format: int64 */
            channel_type_raw: number;
            parent_id: string | null;
            /** Format: int64 */
            position: number;
            topic: string | null;
            nsfw: boolean;
            is_text_based: boolean;
            is_voice: boolean;
        };
        CommunityFullGuild: {
            guild: components["schemas"]["CommunityGuild"];
            channels: components["schemas"]["CommunityChannel"][];
        };
        CommunityGuild: {
            /** Format: uuid */
            id: string;
            guild_id: string;
            name: string;
            icon: string | null;
            /** Format: uri */
            icon_url: string | null;
            owner_id: string;
            /** Format: int64 */
            member_count: number;
            /** Format: int64 */
            boost_count: number;
            /** Format: int64 */
            premium_tier: number;
            /** Format: date-time */
            bot_joined_at: string | null;
            /** Format: date-time */
            last_synced_at: string;
        };
        CommunityGuildSettings: {
            guild_id: string;
            default_language: string | null;
        };
        CommunityGuildSettingsChange: {
            default_language: string | null;
        };
        CommunityGuildSync: {
            success: boolean;
            error: string | null;
            /** Format: int64 */
            guilds_synced: number;
            /** Format: int64 */
            channels_synced: number;
            /** Format: int64 */
            roles_synced: number;
        };
        CommunityMember: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            guild_id: string;
            user_id: string;
            username: string;
            discriminator: string | null;
            global_name: string | null;
            nickname: string | null;
            avatar: string | null;
            /** Format: uri */
            avatar_url: string;
            bot: boolean;
            system: boolean;
            /** Format: date-time */
            joined_at: string | null;
            /** Format: date-time */
            premium_since: string | null;
            deaf: boolean;
            mute: boolean;
            pending: boolean;
            /** Format: date-time */
            communication_disabled_until: string | null;
            roles: string[];
            display_name: string;
            formatted_username: string;
            is_timed_out: boolean;
        };
        CommunityMembers: {
            members: components["schemas"]["CommunityMember"][];
            /** Format: int64 */
            total_count: number;
            has_more: boolean;
        };
        CommunityMemberSync: {
            success: boolean;
            error: string | null;
            /** Format: int64 */
            members_synced: number;
        };
        CommunitySettings: {
            id: string;
            auto_sync_enabled: boolean;
            /** Format: int32 */
            sync_interval_seconds: number;
            /** Format: int32 */
            initial_delay_seconds: number;
            default_language: string;
            notify_on_guild_join: boolean;
            notify_on_guild_leave: boolean;
            /** Format: int32 */
            command_cooldown_seconds: number;
            /** Format: date-time */
            updated_at: string;
        };
        CommunitySettingsChange: {
            auto_sync_enabled?: boolean;
            /** Format: int32 */
            sync_interval_seconds?: number;
            /** Format: int32 */
            initial_delay_seconds?: number;
            default_language?: string;
            notify_on_guild_join?: boolean;
            notify_on_guild_leave?: boolean;
            /** Format: int32 */
            command_cooldown_seconds?: number;
        };
        CommunitySettingsChanged: {
            success: boolean;
        };
        CommunitySync: {
            guild_id?: string | null;
        };
        Consent: {
            /** Format: uuid */
            id: string;
            client: {
                /** Format: uuid */
                id: string;
                name: string;
                /** Format: uri */
                homepage_url: string | null;
                /** Format: uri */
                privacy_policy_url: string | null;
                is_first_party: boolean;
                is_active: boolean;
            };
            scopes: string[];
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ConsentPage: {
            data: components["schemas"]["Consent"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            key: string;
            name: string;
            scopes: string[];
            /** Format: date-time */
            expires_at: string | null;
        };
        CreatedBox: {
            /** Format: uuid */
            id: string;
            name: string;
            token_prefix: string;
            /** Format: uuid */
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_contact_at: string | null;
            acknowledged: {
                [key: string]: number;
            };
            /** Format: int64 */
            backlog_estimate: number | null;
            /** Format: int64 */
            bytes_today: number;
            /** Format: int64 */
            clock_offset_ms: number | null;
            version: string | null;
            /** Format: int64 */
            skipped_rows: number;
            /** Format: int64 */
            refused_rows: number;
            /** Format: int64 */
            assigned_version: number;
            /** Format: int64 */
            applied_version: number | null;
            error: string | null;
            token: string;
            setup: string;
            qr_code: string;
        };
        CreatedInvitation: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string | null;
            role_ids: string[];
            device_shares: components["schemas"]["InvitedShare"][];
            note: string | null;
            /** @enum {string} */
            status: "pending" | "accepted" | "expired" | "revoked";
            /** Format: uuid */
            made_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            accepted_at: string | null;
            /** Format: uuid */
            accepted_by: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** Format: uri */
            url: string | null;
        };
        CreatedNotificationTarget: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            kind: "webhook" | "email" | "ntfy" | "telegram" | "mqtt";
            /** Format: uri */
            url: string | null;
            /** Format: email */
            to: string | null;
            /** Format: uri */
            server_url: string | null;
            topic: string | null;
            chat_id: string | null;
            has_token: boolean;
            /** Format: date-time */
            former_secret_until: string | null;
            is_active: boolean;
            is_silent: boolean;
            is_default: boolean;
            quiet: {
                timezone: string;
                windows: components["schemas"]["ScheduleWindow"][];
            } | null;
            /** @enum {string} */
            locale: "en" | "de";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            secret: string | null;
        };
        CreatedOAuthClient: {
            client: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @enum {string} */
                client_type: "confidential" | "public";
                is_active: boolean;
            };
            client_secret: string | null;
        };
        CreatedShareLink: {
            /** Format: uuid */
            id: string;
            label: string | null;
            /** @enum {string} */
            level: "live" | "history";
            device_ids: string[];
            /** Format: uuid */
            trip_id: string | null;
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            to: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: int64 */
            delay_seconds: number;
            precision_m: number | null;
            hide_zone_ids: string[];
            /** Format: uuid */
            made_by: string | null;
            is_silent: boolean;
            /** Format: int64 */
            opened_count: number;
            /** Format: date-time */
            last_opened_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: uri */
            url: string;
        };
        CreatedTracker: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            device_id: string;
            name: string;
            /** @enum {string} */
            format: "owntracks" | "traccar_client" | "osmand" | "overland" | "gpslogger" | "traccar_server" | "generic";
            token_prefix: string;
            send_zones: boolean;
            is_encrypted: boolean;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            is_active: boolean;
            /** Format: int64 */
            rejected_total: number;
            last_rejection: components["schemas"]["LastRejection"] | null;
            token: string;
            encryption_key: string | null;
            url: string;
            username: string | null;
            password: string | null;
            setup_link: string | null;
            qr_code: string;
            instructions: string[];
        };
        CursorExpiredBody: {
            error: string;
            message: string;
            details?: {
                path: string;
                message: string;
            }[];
            next: string;
        };
        DeletionRequest: {
            password?: string | null;
            code?: string | null;
        };
        DeletionStatus: {
            is_scheduled_for_deletion: boolean;
            /** Format: date-time */
            scheduled_deletion_at: string | null;
            is_deleted: boolean;
            /** Format: date-time */
            deleted_at: string | null;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            target_id: string;
            target_name: string | null;
            /** Format: uuid */
            alert_id: string | null;
            /** @enum {string} */
            type: "alert.raised" | "alert.acknowledged" | "alert.cleared" | "alert.test" | "audit.head";
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            /** @enum {string} */
            status: "waiting" | "delivered" | "failed" | "superseded" | "cancelled";
            /** Format: int64 */
            attempts: number;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** Format: date-time */
            last_attempt_at: string | null;
            /** Format: int64 */
            response_status: number | null;
            error: string | null;
            note: string | null;
            /** Format: int64 */
            duration_ms: number | null;
            /** Format: date-time */
            finished_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        Device: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            device_type: string | null;
            /** Format: uuid */
            api_key_id: string | null;
            external_id: string | null;
            max_speed_kmh: number | null;
            stop_radius_m: number;
            /** Format: int64 */
            stop_minutes: number;
            /** Format: int64 */
            gap_minutes: number;
            auto_trip: components["schemas"]["AutoTrip"] | null;
            is_active: boolean;
            /** Format: uuid */
            box_id: string | null;
            /** Format: date-time */
            last_position_at: string | null;
            battery_percent: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        DeviceChange: {
            name?: string;
            description?: string | null;
            device_type?: string | null;
            external_id?: string | null;
            max_speed_kmh?: number | null;
            stop_radius_m?: number;
            /** Format: int32 */
            stop_minutes?: number;
            /** Format: int32 */
            gap_minutes?: number;
            auto_trip?: components["schemas"]["NewAutoTrip"] | null;
            /** Format: uuid */
            api_key_id?: string | null;
            is_active?: boolean;
        };
        DeviceInside: {
            /** Format: uuid */
            device_id: string;
            device_name: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            last_position_at: string | null;
        };
        DeviceInsidePage: {
            data: components["schemas"]["DeviceInside"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            /** Format: date-time */
            recomputing_from: string | null;
        };
        DevicePage: {
            data: components["schemas"]["Device"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        DeviceShare: {
            /** Format: uuid */
            device_id: string;
            /** Format: uuid */
            user_id: string;
            username: string;
            /** @enum {string} */
            level: "now" | "history" | "manage";
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            made_by: string | null;
            is_silent: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        DeviceShareListing: {
            data: components["schemas"]["DeviceShare"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        DeviceSharePage: {
            data: components["schemas"]["DeviceShare"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        DeviceStatistics: {
            /** Format: uuid */
            device_id: string;
            total: components["schemas"]["TimelineFigures"];
            periods: components["schemas"]["TimelinePeriod"][];
        };
        Done: {
            success: boolean;
            message: string;
        };
        Download: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        EmailChange: {
            /** Format: email */
            email: string;
            password?: string | null;
            code?: string | null;
        };
        EmailLink: {
            /** Format: email */
            email: string;
            password: string;
            code?: string | null;
        };
        ErrorBody: {
            error: string;
            message: string;
            details?: {
                path: string;
                message: string;
            }[];
        };
        Examination: {
            /** Format: date-time */
            examined_at: string;
            /** Format: int64 */
            problems: number;
            /** Format: int64 */
            warnings: number;
            findings: components["schemas"]["Finding"][];
        };
        ExportLog: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            exportedAt: string;
            ipAddress: string | null;
            userAgent: string | null;
            exportFormat: string;
            /** Format: int64 */
            fileSizeBytes: number;
            /** @enum {string} */
            locale: "en" | "de";
            /** Format: date-time */
            createdAt: string;
        };
        ExportLogs: {
            logs: components["schemas"]["ExportLog"][];
            /** Format: int64 */
            total: number;
            hasMore: boolean;
        };
        ExtendedUser: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            primary_platform_account_id: string | null;
            username: string;
            /** Format: email */
            email: string | null;
            /** Format: uri */
            avatar_url: string | null;
            platform: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_login_at: string | null;
            privacy_mode: boolean;
            is_banned: boolean;
        };
        ExternalLogin: {
            /** Format: email */
            email?: string | null;
            name: string;
            oauthProvider: string;
            oauthProviderId: string;
            /** Format: uri */
            image?: string | null;
            /** @default true */
            email_verified: boolean;
        };
        Finding: {
            check: string;
            title: string;
            /** @enum {string} */
            verdict: "ok" | "warning" | "problem";
            message: string;
        };
        FirstAdministrator: {
            code: string;
            username: string;
            /** Format: email */
            email: string;
            password: string;
        };
        FirstStart: {
            is_needed: boolean;
            command: string | null;
            code: {
                /** @enum {string} */
                shown: "terminal" | "file";
                file: string | null;
                /** Format: date-time */
                expires_at: string;
                /** Format: int64 */
                tries_left: number;
            } | null;
        };
        ForcedDeletion: {
            reason?: string | null;
            password?: string | null;
            code?: string | null;
        };
        Geofence: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            kind: "circle" | "polygon" | "corridor";
            geometry: {
                /** @enum {string} */
                type: "Polygon" | "MultiPolygon" | "LineString";
                coordinates: unknown[][];
            } | null;
            width_m: number | null;
            latitude: number;
            longitude: number;
            radius_km: number;
            is_active: boolean;
            /** Format: int32 */
            enter_after_s: number;
            /** Format: int32 */
            exit_after_s: number;
            /** Format: int32 */
            confirm_fixes: number;
            exit_margin_m: number | null;
            max_accuracy_m: number | null;
            /** Format: int32 */
            dwell_seconds: number | null;
            color: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            box_ids: string[];
            is_from_shore: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        GeofenceChange: {
            name?: string;
            latitude?: number;
            longitude?: number;
            radius_km?: number;
            /** @enum {string} */
            kind?: "circle" | "polygon" | "corridor";
            geometry?: {
                /** @enum {string} */
                type: "Polygon" | "MultiPolygon" | "LineString";
                coordinates: unknown[][];
            } | null;
            width_m?: number | null;
            /** Format: int32 */
            enter_after_s?: number;
            /** Format: int32 */
            exit_after_s?: number;
            /** Format: int32 */
            confirm_fixes?: number;
            description?: string | null;
            exit_margin_m?: number | null;
            max_accuracy_m?: number | null;
            /** Format: int32 */
            dwell_seconds?: number | null;
            color?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            box_ids?: string[];
            is_active?: boolean;
        };
        GeofenceCrossing: {
            /** Format: uuid */
            geofence_id: string;
            geofence_name: string;
            /** @enum {string} */
            event: "enter" | "exit";
            /** Format: uuid */
            device_id: string;
            distance_km: number;
            metadata: {
                [key: string]: unknown;
            } | null;
        };
        GeofenceEvent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            geofence_id: string;
            geofence_name: string;
            /** Format: uuid */
            device_id: string;
            device_name: string;
            /** @enum {string} */
            event: "enter" | "exit" | "passed" | "dwell";
            /** Format: date-time */
            occurred_at: string;
            /** Format: date-time */
            recorded_at: string;
            latitude: number;
            longitude: number;
            distance_km: number;
            /** Format: uuid */
            gps_point_id: string | null;
            /** Format: uuid */
            trip_id: string | null;
            is_late: boolean;
            /** Format: date-time */
            superseded_at: string | null;
            /** Format: uuid */
            box_id: string | null;
        };
        GeofenceEventPage: {
            data: components["schemas"]["GeofenceEvent"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            /** Format: date-time */
            recomputing_from: string | null;
        };
        GeofencePage: {
            data: components["schemas"]["Geofence"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        GeofencePresence: {
            /** Format: uuid */
            device_id: string;
            device_name: string;
            /** Format: uuid */
            geofence_id: string;
            geofence_name: string;
            /** Format: date-time */
            since: string;
        };
        GeofencePresencePage: {
            data: components["schemas"]["GeofencePresence"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            /** Format: date-time */
            recomputing_from: string | null;
        };
        GeofenceVisit: {
            /** Format: uuid */
            device_id: string;
            device_name: string;
            /** Format: date-time */
            entered_at: string;
            /** Format: date-time */
            exited_at: string | null;
            duration_seconds: number | null;
        };
        GeofenceVisitPage: {
            data: components["schemas"]["GeofenceVisit"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            /** Format: date-time */
            recomputing_from: string | null;
        };
        GoneRecord: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            device_id: string | null;
            /** @constant */
            is_deleted: true;
        };
        GpsPoint: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            device_id: string | null;
            /** Format: uuid */
            trip_id: string | null;
            latitude: number;
            longitude: number;
            altitude: number | null;
            heading: number | null;
            /** Format: date-time */
            timestamp: string;
            speed_kmh: number | null;
            speed_mps: number | null;
            speed_mph: number | null;
            speed_knots: number | null;
            pdop: number | null;
            hdop: number | null;
            vdop: number | null;
            /** Format: date-time */
            created_at: string;
            accuracy_m: number | null;
            battery_percent: number | null;
            /** @enum {string} */
            source: "api" | "batch" | "owntracks" | "osmand" | "overland" | "gpslogger" | "traccar" | "generic" | "nmea" | "gpsd" | "signalk" | "gpx" | "csv" | "mqtt" | "sync";
            is_outlier: boolean;
            /** @enum {string|null} */
            outlier_reason: "speed" | "hand" | null;
            /** Format: uuid */
            box_id: string | null;
        };
        GpsPointChange: {
            is_outlier?: boolean;
        };
        GraphQLAnswer: {
            data?: {
                [key: string]: unknown;
            } | null;
            errors?: components["schemas"]["GraphQLError"][];
        };
        GraphQLError: {
            message: string;
            locations?: {
                /** Format: int64 */
                line: number;
                /** Format: int64 */
                column: number;
            }[];
            path?: (string | number)[];
            extensions: {
                code: string;
                /** Format: int64 */
                status: number;
                details?: {
                    path: string;
                    message: string;
                }[];
            };
        };
        GraphQLRefusal: {
            errors: components["schemas"]["GraphQLError"][];
        };
        GraphQLRequest: {
            query: string;
            variables?: {
                [key: string]: unknown;
            } | null;
            operationName?: string | null;
        };
        GuildChannelListing: {
            data: components["schemas"]["CommunityChannel"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        GuildListing: {
            data: components["schemas"]["CommunityGuild"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        Health: {
            status: string;
            version: string;
            /** Format: date-time */
            timestamp: string;
            uptime: {
                /** Format: int64 */
                days: number;
                /** Format: int64 */
                hours: number;
                /** Format: int64 */
                minutes: number;
                /** Format: int64 */
                seconds: number;
                total: number;
            };
            services: {
                database: {
                    status: string;
                    /** Format: int64 */
                    responseTime: number;
                };
                cache: {
                    status: string;
                    /** Format: int64 */
                    responseTime: number;
                };
                websocket: {
                    status: string;
                    /** Format: int64 */
                    connections: number;
                    /** Format: int64 */
                    subscriptions: number;
                };
                backup?: {
                    status: string;
                    /** Format: date-time */
                    lastBackup: string | null;
                    /** Format: int64 */
                    ageSeconds: number | null;
                    /** Format: date-time */
                    verifiedAt?: string;
                    isRestorable?: boolean;
                };
                notifications?: {
                    status: string;
                    /** Format: int64 */
                    waiting: number;
                    /** Format: int64 */
                    oldest_seconds: number | null;
                };
                position?: {
                    status: string;
                    /** Format: date-time */
                    last_fix_at: string | null;
                    /** Format: int64 */
                    reconnects: number;
                    trouble: string | null;
                };
                mqtt?: {
                    status: string;
                    protocol: string | null;
                    /** Format: int64 */
                    waiting: number;
                    /** Format: int64 */
                    reconnects: number;
                    trouble: string | null;
                };
                sync?: {
                    status: string;
                    /** Format: date-time */
                    last_contact_at: string | null;
                    is_metered: boolean;
                    /** Format: int64 */
                    bytes_today: number;
                    /** Format: int64 */
                    waiting: number;
                    lanes: {
                        lane: string;
                        /** Format: int64 */
                        rows: number;
                        /** Format: int64 */
                        bytes: number;
                        /** Format: int64 */
                        age_seconds: number;
                    }[];
                    trouble: string | null;
                };
            };
            warnings?: string[];
            _links: components["schemas"]["SelfLink"];
        };
        HeardPosition: {
            /** Format: uuid */
            id: string | null;
            /** Format: uuid */
            device_id: string | null;
            /** Format: uuid */
            trip_id: string | null;
            latitude: number;
            longitude: number;
            altitude: number | null;
            heading: number | null;
            /** Format: date-time */
            timestamp: string;
            speed_kmh: number | null;
            speed_mps: number | null;
            speed_mph: number | null;
            speed_knots: number | null;
            pdop: number | null;
            hdop: number | null;
            vdop: number | null;
            /** Format: date-time */
            created_at: string;
        };
        ImportRejection: {
            /** Format: int64 */
            line: number;
            /** @enum {string} */
            reason: "malformed" | "no_fix" | "no_time" | "in_the_future" | "implausible_time" | "too_large" | "not_decrypted" | "unknown_device";
        };
        ImportReport: {
            /** Format: int64 */
            positions: number;
            /** Format: int64 */
            duplicates: number;
            /** Format: int64 */
            rejected: number;
            rejections: components["schemas"]["ImportRejection"][];
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            to: string | null;
            distance_km: number;
            /** Format: int64 */
            tracks: number;
        };
        IngestCounts: {
            /** Format: int64 */
            stored: number;
            /** Format: int64 */
            duplicates: number;
            /** Format: int64 */
            rejected: number;
        };
        InsufficientScope: {
            error: string;
            message: string;
            details?: {
                path: string;
                message: string;
            }[];
        };
        Integration: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            platform_slug: string;
            platform_name: string;
            platform_user_id: string;
            username: string;
            display_name: string | null;
            profile_image_url: string | null;
            scopes: string[];
            is_active: boolean;
            /** @enum {string} */
            bot_status: "active" | "paused" | "disabled";
            /** Format: date-time */
            connected_at: string;
            /** Format: date-time */
            last_refreshed_at: string | null;
        };
        IntegrationAuthorization: {
            /** Format: uri */
            authorization_url: string;
            state: string;
        };
        IntegrationConnect: {
            /** Format: uri */
            redirect_uri: string;
            scopes?: string[];
        };
        IntegrationPlatform: {
            slug: string;
            name: string;
            description: string;
            /** Format: uri */
            icon_url: string;
            enabled: boolean;
            features: string[];
        };
        IntegrationPlatforms: {
            platforms: components["schemas"]["IntegrationPlatform"][];
        };
        IntegrationRefreshed: {
            success: boolean;
            message: string;
            /** Format: date-time */
            expires_at: string | null;
        };
        IntegrationScope: {
            name: string;
            description: string;
            required: boolean;
        };
        IntegrationScopes: {
            platform: string;
            scopes: components["schemas"]["IntegrationScope"][];
        };
        InternalSession: {
            /** Format: uuid */
            id: string;
            sessionToken: string;
            /** Format: uuid */
            userId: string;
            /** Format: date-time */
            expires: string;
            /** Format: date-time */
            created_at: string;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string | null;
            role_ids: string[];
            device_shares: components["schemas"]["InvitedShare"][];
            note: string | null;
            /** @enum {string} */
            status: "pending" | "accepted" | "expired" | "revoked";
            /** Format: uuid */
            made_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            accepted_at: string | null;
            /** Format: uuid */
            accepted_by: string | null;
            /** Format: date-time */
            revoked_at: string | null;
        };
        InvitationPage: {
            data: components["schemas"]["Invitation"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        InvitedShare: {
            /** Format: uuid */
            device_id: string;
            /** @enum {string} */
            level: "now" | "history" | "manage";
            /** Format: date-time */
            expires_at: string | null;
        };
        KeySet: {
            keys: {
                kty: string;
                crv: string;
                x: string;
                y: string;
                /** Format: uuid */
                kid: string;
                alg: string;
                use: string;
            }[];
        };
        LastRejection: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            reason: "malformed" | "no_fix" | "no_time" | "in_the_future" | "implausible_time" | "too_large" | "not_decrypted" | "unknown_device";
        };
        LateSpan: {
            /** Format: uuid */
            device_id: string;
            /** Format: int64 */
            count: number;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            trip_ids: string[];
        };
        LinkedEmail: {
            message: string;
            /** Format: uuid */
            platform_account_id: string;
        };
        ListLinks: {
            self: string;
            first?: string;
            last?: string;
            prev?: string;
            next?: string;
        };
        Liveness: {
            /** @constant */
            status: "alive";
        };
        LocaleChange: {
            /** @enum {string|null} */
            locale: "en" | "de" | null;
        };
        LocationChange: {
            name?: string;
            street?: string | null;
            zip?: string | null;
            city?: string | null;
            country?: string | null;
            latitude?: number | null;
            longitude?: number | null;
            notes?: string | null;
            is_active?: boolean;
        };
        LocationContact: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            location_id: string;
            name: string;
            phone: string | null;
            email: string | null;
            role: string | null;
            /** Format: date-time */
            created_at: string;
        };
        LocationContactChange: {
            name?: string;
            phone?: string | null;
            /** Format: email */
            email?: string | null;
            role?: string | null;
        };
        LocationPage: {
            data: components["schemas"]["LocationRecord"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        LocationRecord: {
            /** Format: uuid */
            id: string;
            name: string;
            street: string | null;
            zip: string | null;
            city: string | null;
            country: string | null;
            latitude: number | null;
            longitude: number | null;
            notes: string | null;
            is_active: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        LocationWithContacts: {
            /** Format: uuid */
            id: string;
            name: string;
            street: string | null;
            zip: string | null;
            city: string | null;
            country: string | null;
            latitude: number | null;
            longitude: number | null;
            notes: string | null;
            is_active: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            contacts: components["schemas"]["LocationContact"][];
        };
        LogEntry: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            trip_id: string;
            /** Format: int64 */
            number: number;
            /** @enum {string} */
            kind: "note" | "weather" | "engine" | "sail" | "crew" | "watch" | "position" | "strike";
            /** Format: date-time */
            occurred_at: string;
            /** Format: date-time */
            recorded_at: string;
            /** Format: uuid */
            user_id: string | null;
            /** Format: uuid */
            api_key_id: string | null;
            is_automatic: boolean;
            text: string | null;
            data: {
                [key: string]: unknown;
            } | null;
            /** Format: uuid */
            strikes_id: string | null;
            previous_hash: string | null;
            hash: string;
        };
        LogFile: {
            /** Format: uuid */
            trip_id: string;
            /** Format: date-time */
            exported_at: string;
            head: string | null;
            data: components["schemas"]["LogEntry"][];
        };
        Login: {
            identifier: string;
            password: string;
            challenge_token?: unknown;
        };
        LogPage: {
            data: components["schemas"]["LogEntry"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            strikes: components["schemas"]["LogStrike"][];
        };
        LogStrike: {
            /** Format: uuid */
            entry_id: string;
            /** Format: uuid */
            strike_id: string;
            /** Format: int64 */
            strike_number: number;
            /** Format: date-time */
            struck_at: string;
            reason: string;
        };
        LogVerification: {
            is_intact: boolean;
            /** Format: int64 */
            entries: number;
            head: string | null;
            /** Format: uuid */
            first_break: string | null;
        };
        Message: {
            message: string;
        };
        NearbyWaterLevel: {
            station: {
                station_id: string;
                shortname: string;
                longname: string;
                water_shortname: string;
                water_longname: string;
                latitude: number | null;
                longitude: number | null;
                km: number | null;
                agency: string;
                level_cm: number | null;
                /** Format: int64 */
                trend: number | null;
                /** Format: date-time */
                measured_at: string | null;
                state: string | null;
                distance_km: number;
            } | null;
            /** @enum {string|null} */
            reason: "off" | "no_position" | "none_near" | "unreachable" | null;
            is_stale: boolean;
        };
        NearestWaterLevelStation: {
            station_id: string;
            shortname: string;
            longname: string;
            water_shortname: string;
            water_longname: string;
            latitude: number | null;
            longitude: number | null;
            km: number | null;
            agency: string;
            level_cm: number | null;
            /** Format: int64 */
            trend: number | null;
            /** Format: date-time */
            measured_at: string | null;
            state: string | null;
            distance_km: number;
        };
        NewAlertRule: {
            name: string;
            is_active?: boolean;
            /** @enum {string} */
            severity: "info" | "warning" | "alarm";
            device_ids?: string[];
            condition: components["schemas"]["AlertCondition"];
            /** Format: int32 */
            hold_seconds?: number;
            /** Format: int32 */
            cooldown_seconds?: number;
            schedule?: components["schemas"]["Schedule"] | null;
            target_ids?: string[] | null;
            /** Format: int32 */
            escalate_after_seconds?: number | null;
            escalate_target_ids?: string[] | null;
            message?: string | null;
            box_ids?: string[];
        };
        NewApiKey: {
            name: string;
            description?: string | null;
            scopes?: string[] | null;
            /** Format: date-time */
            expires_at?: string | null;
            password?: string | null;
            code?: string | null;
        };
        NewAuditEvent: {
            user_id: string | null;
            event_type: string;
            resource_type: string;
            /** @enum {string} */
            status: "success" | "failure";
            /** @enum {string} */
            source_service: "api" | "id" | "backend" | "policies" | "community_bot" | "stream_bot";
            metadata: {
                [key: string]: unknown;
            } | null;
            /** Format: uuid */
            actor_id?: string | null;
            resource_id?: string | null;
            description?: string | null;
            ip_address?: string | null;
            user_agent?: string | null;
            error_message?: string | null;
        };
        NewAuditReport: {
            /** @enum {string} */
            reason: "not_me" | "suspicious" | "unknown_device" | "unknown_location" | "other";
            description?: string | null;
        };
        NewAutoTrip: {
            is_enabled?: boolean;
            /**
             * Format: int32
             * @default 3
             */
            start_after_minutes: number;
            /**
             * Format: int32
             * @default 20
             */
            end_after_minutes: number;
            /** @default 0.5 */
            min_distance_km: number;
            /** @default {origin} {date} {time} */
            name_template: string;
        };
        NewBan: {
            reason?: string | null;
            /** Format: int64 */
            duration_seconds?: number | null;
        };
        NewBatch: {
            positions: {
                latitude: number;
                longitude: number;
                timestamp: number;
                speed_kmh?: number | null;
                speed_mps?: number | null;
                speed_mph?: number | null;
                speed_knots?: number | null;
                altitude?: number | null;
                heading?: number | null;
                pdop?: number | null;
                hdop?: number | null;
                vdop?: number | null;
                accuracy_m?: number | null;
                battery_percent?: number | null;
            }[];
            /** Format: uuid */
            device_id?: string | null;
        };
        NewBox: {
            name: string;
            /** Format: uri */
            base_url?: string | null;
        };
        NewBoxToken: {
            /** Format: uri */
            base_url?: string | null;
        };
        NewCredential: {
            id: string;
            /** @constant */
            type: "public-key";
            response: {
                clientDataJSON: string;
                attestationObject: string;
                transports?: string[];
            };
        };
        NewDevice: {
            name: string;
            description?: string | null;
            device_type?: string | null;
            external_id?: string | null;
            max_speed_kmh?: number | null;
            stop_radius_m?: number;
            /** Format: int32 */
            stop_minutes?: number;
            /** Format: int32 */
            gap_minutes?: number;
            auto_trip?: components["schemas"]["NewAutoTrip"] | null;
            /** Format: uuid */
            api_key_id?: string | null;
        };
        NewDownload: {
            path: string;
        };
        NewGeofence: {
            name: string;
            latitude?: number;
            longitude?: number;
            radius_km?: number;
            /** @enum {string} */
            kind?: "circle" | "polygon" | "corridor";
            geometry?: {
                /** @enum {string} */
                type: "Polygon" | "MultiPolygon" | "LineString";
                coordinates: unknown[][];
            } | null;
            width_m?: number | null;
            /** Format: int32 */
            enter_after_s?: number;
            /** Format: int32 */
            exit_after_s?: number;
            /** Format: int32 */
            confirm_fixes?: number;
            description?: string | null;
            exit_margin_m?: number | null;
            max_accuracy_m?: number | null;
            /** Format: int32 */
            dwell_seconds?: number | null;
            color?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            box_ids?: string[];
        };
        NewGpsPoint: {
            latitude: number;
            longitude: number;
            /** Format: int64 */
            timestamp: number;
            speed_kmh: number;
            speed_mps: number;
            speed_mph: number;
            speed_knots: number;
            altitude?: number | null;
            heading?: number | null;
            pdop?: number | null;
            hdop?: number | null;
            vdop?: number | null;
            accuracy_m?: number | null;
            battery_percent?: number | null;
            /** Format: uuid */
            device_id?: string | null;
        };
        NewInternalSession: {
            /** Format: uuid */
            userId: string;
            /** Format: date-time */
            expires: string;
        };
        NewInvitation: {
            /** Format: email */
            email?: string | null;
            role_ids?: string[];
            device_shares?: {
                /** Format: uuid */
                device_id: string;
                /** @enum {string} */
                level: "now" | "history" | "manage";
                /** Format: date-time */
                expires_at?: string | null;
            }[];
            /**
             * Format: int32
             * @default 72
             */
            expires_in_hours: number;
            note?: string | null;
            /** Format: uri */
            base_url?: string | null;
            password?: string | null;
            code?: string | null;
        };
        NewLocation: {
            name: string;
            street?: string | null;
            zip?: string | null;
            city?: string | null;
            country?: string | null;
            latitude?: number | null;
            longitude?: number | null;
            notes?: string | null;
            contacts?: components["schemas"]["NewLocationContact"][] | null;
        };
        NewLocationContact: {
            name: string;
            phone?: string | null;
            /** Format: email */
            email?: string | null;
            role?: string | null;
        };
        NewLogEntry: {
            /** @enum {string} */
            kind?: "note" | "weather" | "engine" | "sail" | "crew" | "watch" | "position";
            text?: string | null;
            /** Format: date-time */
            occurred_at?: string | null;
            data?: {
                [key: string]: unknown;
            } | null;
        };
        NewLogStrike: {
            reason: string;
        };
        NewNotificationTarget: {
            name: string;
            /** @enum {string} */
            kind: "webhook" | "email" | "ntfy" | "telegram" | "mqtt";
            /** Format: uri */
            url?: string;
            /** Format: email */
            to?: string;
            /** Format: uri */
            server_url?: string;
            topic?: string;
            token?: string;
            bot_token?: string;
            chat_id?: string;
            is_active?: boolean;
            is_default?: boolean;
            quiet?: {
                timezone: string;
                windows: components["schemas"]["ScheduleWindow"][];
            } | null;
            /** @enum {string} */
            locale?: "en" | "de";
        };
        NewOAuthClient: {
            name: string;
            redirect_uris: string[];
            description?: string | null;
            /** Format: uri */
            logo_url?: string | null;
            /** Format: uri */
            homepage_url?: string | null;
            /** Format: uri */
            privacy_policy_url?: string | null;
            /** Format: uri */
            terms_of_service_url?: string | null;
            allowed_scopes?: string[];
            approved_scopes?: string[];
            post_logout_redirect_uris?: string[];
            /** @enum {string} */
            client_type?: "confidential" | "public";
            is_first_party?: boolean;
            password?: string | null;
            code?: string | null;
        };
        NewPasskey: {
            credential: components["schemas"]["NewCredential"];
            name?: string;
        };
        NewPermission: {
            resource: string;
            action: string;
            description?: string | null;
        };
        NewRole: {
            name: string;
            description?: string | null;
            requires_two_factor?: boolean;
        };
        NewSetting: {
            key: string;
            value: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            description?: string | null;
            is_public?: boolean | null;
        };
        NewShare: {
            /** @enum {string} */
            level: "now" | "history" | "manage";
            /** Format: date-time */
            expires_at?: string | null;
        };
        NewShareLink: {
            device_ids?: string[];
            /** Format: uuid */
            trip_id?: string | null;
            /** @enum {string} */
            level: "live" | "history";
            /** Format: date-time */
            from?: string | null;
            /** Format: date-time */
            to?: string | null;
            /** Format: date-time */
            expires_at: string;
            /**
             * Format: int32
             * @default 0
             */
            delay_seconds: number;
            precision_m?: number | null;
            hide_zone_ids?: string[];
            label?: string | null;
            /** Format: uri */
            base_url?: string | null;
        };
        NewTracker: {
            name: string;
            /** @enum {string} */
            format: "owntracks" | "traccar_client" | "osmand" | "overland" | "gpslogger" | "traccar_server" | "generic";
            /** Format: date-time */
            expires_at?: string | null;
            send_zones?: boolean;
            with_encryption?: boolean;
            /** Format: uri */
            base_url?: string | null;
        };
        NewTrip: {
            name: string;
            description?: string | null;
            gps_logging_enabled?: boolean | null;
            /** Format: uuid */
            device_id?: string | null;
            /** Format: uuid */
            category_id?: string | null;
            /** Format: uuid */
            origin_id?: string | null;
            /** Format: uuid */
            destination_id?: string | null;
            weight_kg?: number | null;
            notes?: string | null;
            tags?: string[] | null;
            /** Format: int32 */
            log_interval_minutes?: number | null;
        };
        NewTripCategory: {
            name: string;
            /** Format: uuid */
            parent_id?: string | null;
            description?: string | null;
            color?: string | null;
            /** Format: int32 */
            sort_order?: number | null;
        };
        NewTripTemplate: {
            name: string;
            description?: string | null;
            /** Format: uuid */
            category_id?: string | null;
            /** Format: uuid */
            origin_id?: string | null;
            /** Format: uuid */
            destination_id?: string | null;
            /** Format: uuid */
            device_id?: string | null;
            gps_logging_enabled?: boolean | null;
            default_weight_kg?: number | null;
            notes?: string | null;
            tags?: string[] | null;
        };
        NotificationTarget: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            kind: "webhook" | "email" | "ntfy" | "telegram" | "mqtt";
            /** Format: uri */
            url: string | null;
            /** Format: email */
            to: string | null;
            /** Format: uri */
            server_url: string | null;
            topic: string | null;
            chat_id: string | null;
            has_token: boolean;
            /** Format: date-time */
            former_secret_until: string | null;
            is_active: boolean;
            is_silent: boolean;
            is_default: boolean;
            quiet: {
                timezone: string;
                windows: components["schemas"]["ScheduleWindow"][];
            } | null;
            /** @enum {string} */
            locale: "en" | "de";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NotificationTargetChange: {
            name?: string;
            /** Format: uri */
            url?: string;
            /** Format: email */
            to?: string;
            /** Format: uri */
            server_url?: string;
            topic?: string;
            token?: string | null;
            bot_token?: string;
            chat_id?: string;
            is_active?: boolean;
            is_default?: boolean;
            quiet?: {
                timezone: string;
                windows: components["schemas"]["ScheduleWindow"][];
            } | null;
            /** @enum {string} */
            locale?: "en" | "de";
        };
        NotificationTargetPage: {
            data: components["schemas"]["NotificationTarget"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        NotificationTest: {
            /** @enum {string} */
            status: "delivered" | "failed";
            /** Format: int64 */
            response_status: number | null;
            error: string | null;
            note: string | null;
            /** Format: int64 */
            duration_ms: number;
        };
        NotRevoked: {
            error: string;
            message: string;
            details?: {
                path: string;
                message: string;
            }[];
            success?: boolean;
        };
        OAuthClient: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** Format: uri */
            logo_url: string | null;
            /** Format: uri */
            homepage_url: string | null;
            /** Format: uri */
            privacy_policy_url: string | null;
            /** Format: uri */
            terms_of_service_url: string | null;
            redirect_uris: string[];
            allowed_scopes: string[];
            approved_scopes: string[];
            post_logout_redirect_uris: string[];
            /** @enum {string} */
            client_type: "confidential" | "public";
            is_active: boolean;
            is_first_party: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        OAuthClientChange: {
            name?: string;
            redirect_uris?: string[];
            description?: string | null;
            /** Format: uri */
            logo_url?: string | null;
            /** Format: uri */
            homepage_url?: string | null;
            /** Format: uri */
            privacy_policy_url?: string | null;
            /** Format: uri */
            terms_of_service_url?: string | null;
            allowed_scopes?: string[];
            approved_scopes?: string[];
            post_logout_redirect_uris?: string[];
            /** @enum {string} */
            client_type?: "confidential" | "public";
            is_first_party?: boolean;
            is_active?: boolean;
            password?: string | null;
            code?: string | null;
        };
        OAuthClientListing: {
            data: components["schemas"]["OAuthClient"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        OAuthErrorBody: {
            error: string;
            error_description: string;
            message: string;
        };
        OidcBeginning: {
            /** Format: uri */
            redirect_uri?: string | null;
            code_challenge?: string | null;
            password?: string | null;
            code?: string | null;
        };
        OidcBegun: {
            /** Format: uri */
            authorization_url: string;
            /** Format: date-time */
            expires_at: string;
        };
        OidcCode: {
            code: string;
            code_verifier?: string;
        };
        OidcIdentity: {
            /** Format: uuid */
            id: string;
            provider: string;
            display_name: string;
            issuer: string;
            subject: string;
            label: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
        };
        OidcIdentityPage: {
            data: components["schemas"]["OidcIdentity"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        OverlandResult: {
            result: string;
        };
        OwnUser: {
            /** Format: uuid */
            id: string;
            username: string;
            /** Format: uuid */
            primary_platform_account_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_login_at: string | null;
            /** Format: date-time */
            deleted_at: string | null;
            privacy_mode: boolean;
            /** @enum {string|null} */
            preferred_locale: "en" | "de" | null;
            avatars_enabled: boolean;
            email: string | null;
            roles: string[];
            permissions: string[];
        };
        OwnWaysIn: {
            has_password: boolean;
            may_use_password: boolean;
            /** Format: int64 */
            passkeys: number;
            /** Format: int64 */
            identities: number;
            /** Format: int64 */
            platform_accounts: number;
        };
        PageAddresses: {
            addresses: string[];
            is_closed: boolean;
        };
        PageChallenge: {
            temp_token: string;
            code: string;
            stay_signed_in?: boolean;
        };
        PageCode: {
            code: string;
            stay_signed_in?: boolean;
        };
        PageLinks: {
            self: string;
            first: string;
            last: string;
            prev?: string;
            next?: string;
        };
        PageLogin: {
            identifier: string;
            password: string;
            challenge_token?: unknown;
            stay_signed_in?: boolean;
        };
        PagePasskey: {
            credential: components["schemas"]["Assertion"];
            stay_signed_in?: boolean;
        };
        PagePasskeyChallenge: {
            temp_token: string;
            credential: components["schemas"]["Assertion"];
            stay_signed_in?: boolean;
        };
        PageSession: {
            /** Format: uuid */
            user_id: string;
            email: string;
            username: string;
            /** Format: uuid */
            session_id?: string;
            /** Format: date-time */
            expires_at?: string;
            provider: string | null;
            requires_2fa: boolean;
            temp_token?: string;
            second_factors?: ("code" | "passkey")[];
            /** @enum {string|null} */
            preferred_locale: "en" | "de" | null;
        };
        PageState: {
            is_open: boolean;
            passkey_origins: string[];
        };
        Pagination: {
            /** Format: int64 */
            page: number;
            /** Format: int64 */
            limit: number;
            /** Format: int64 */
            total: number;
            /** Format: int64 */
            total_pages: number;
        };
        Passkey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            transports: string[];
            is_backed_up: boolean;
            aaguid: string;
            authenticator: string | null;
        };
        PasskeyChallenge: {
            temp_token: string;
        };
        PasskeyChange: {
            name?: string;
        };
        PasskeyCreationOptions: {
            public_key: {
                rp: {
                    id: string;
                    name: string;
                };
                user: {
                    id: string;
                    name: string;
                    displayName: string;
                };
                challenge: string;
                pubKeyCredParams: {
                    type: string;
                    /** Format: int64 */
                    alg: number;
                }[];
                /** Format: int64 */
                timeout: number;
                excludeCredentials: {
                    type: string;
                    id: string;
                    transports: string[];
                }[];
                authenticatorSelection: {
                    residentKey: string;
                    requireResidentKey: boolean;
                    userVerification: string;
                };
                attestation: string;
            };
            /** Format: date-time */
            expires_at: string;
        };
        PasskeyForAcceptance: {
            username: string;
        };
        PasskeyPage: {
            data: components["schemas"]["Passkey"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        PasskeyRequestOptions: {
            public_key: {
                challenge: string;
                /** Format: int64 */
                timeout: number;
                rpId: string;
                allowCredentials: {
                    type: string;
                    id: string;
                    transports: string[];
                }[];
                userVerification: string;
            };
            /** Format: date-time */
            expires_at: string;
        };
        PasskeySecondFactor: {
            temp_token: string;
            credential: components["schemas"]["Assertion"];
        };
        PasskeySignIn: {
            credential: components["schemas"]["Assertion"];
        };
        PasswordChange: {
            current_password?: string | null;
            new_password: string;
        };
        PastBan: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            reason: string | null;
            /** Format: uuid */
            banned_by: string | null;
            /** Format: date-time */
            banned_at: string;
            /** Format: date-time */
            expires_at: string | null;
            is_permanent: boolean;
            /** Format: date-time */
            unbanned_at: string | null;
            /** Format: uuid */
            unbanned_by: string | null;
        };
        PendingEmailChange: {
            pending: boolean;
            /** Format: email */
            new_email: string | null;
            /** Format: date-time */
            expires_at: string | null;
        };
        PendingEmailLink: {
            pending: boolean;
            /** Format: email */
            email: string | null;
            /** Format: date-time */
            expires_at: string | null;
        };
        Permission: {
            /** Format: uuid */
            id: string;
            resource: string;
            action: string;
            description: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PermissionAssignment: {
            /** Format: uuid */
            permission_id: string;
            password?: string | null;
            code?: string | null;
        };
        PermissionList: {
            permissions: string[];
        };
        PermissionListing: {
            data: components["schemas"]["Permission"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        Platform: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            is_oauth: boolean;
            enabled: boolean;
            two_factor_supported: boolean;
            two_factor_required: boolean;
            registration_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PlatformAccount: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            platform_id: string;
            platform_name: string;
            platform_slug: string;
            platform_user_id: string;
            is_oauth: boolean;
            is_primary: boolean;
            username: string | null;
            /** Format: email */
            email: string | null;
            /** Format: uri */
            avatar_url: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PlatformAccountListing: {
            data: components["schemas"]["PlatformAccount"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        PlatformListing: {
            data: components["schemas"]["Platform"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        PlatformSettings: {
            enabled?: boolean;
            two_factor_required?: boolean;
            registration_enabled?: boolean;
        };
        PlatformSwitch: {
            enabled: boolean;
        };
        PositionPage: {
            data: components["schemas"]["GpsPoint"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        Profile: {
            name: string;
            display_name: string;
            /** Format: uri */
            picture: string | null;
            provider: string | null;
            primary_provider: string | null;
            /** Format: date-time */
            last_login_at: string | null;
            /** Format: date-time */
            created_at: string;
            privacy_mode: boolean;
            avatars_enabled: boolean;
        };
        Proof: {
            password?: string | null;
            code?: string | null;
        };
        PublicSetting: {
            key: string;
            value: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            description: string | null;
        };
        PublicSettingListing: {
            data: components["schemas"]["PublicSetting"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        PublicStats: {
            /** Format: int64 */
            users_total: number;
            /** Format: int64 */
            devices_total: number;
            /** Format: int64 */
            trips_total: number;
            /** Format: int64 */
            trips_active: number;
            /** Format: int64 */
            trips_completed: number;
            /** Format: int64 */
            gps_points_total: number;
            distance_km_total: number;
            /** Format: int64 */
            locations_total: number;
            /** Format: int64 */
            geofences_total: number;
            /** Format: date-time */
            generated_at: string;
        };
        PushAnswer: {
            acknowledged: {
                /** Format: int64 */
                alerts?: number;
                /** Format: int64 */
                newest?: number;
                /** Format: int64 */
                trips?: number;
                /** Format: int64 */
                zones?: number;
                /** Format: int64 */
                thinned?: number;
                /** Format: int64 */
                backlog?: number;
                /** Format: int64 */
                history?: number;
            };
            hashes?: {
                alerts?: string;
                newest?: string;
                trips?: string;
                zones?: string;
                thinned?: string;
                backlog?: string;
                history?: string;
            };
            unknown?: string[];
            /** Format: int64 */
            overtaken_by?: number;
            /** Format: int64 */
            refused: number;
            set: {
                tag: string;
                /** Format: int64 */
                version: number;
            };
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not ready";
            reason: string | null;
        };
        Reauthenticated: {
            message: string;
            /** Format: date-time */
            authenticated_at: string;
            /** Format: date-time */
            expires_at: string | null;
        };
        Reauthentication: {
            password?: string | null;
            code?: string | null;
            passkey?: components["schemas"]["Assertion"] | null;
            oidc_code?: string | null;
            code_verifier?: string | null;
        };
        RegeneratedApiKey: {
            /** Format: uuid */
            id: string;
            key: string;
            key_prefix: string;
            name: string;
            scopes: string[];
            is_active: boolean;
            /** Format: date-time */
            expires_at: string | null;
        };
        RegeneratedSecret: {
            /** Format: uuid */
            client_id: string;
            client_secret: string;
            message: string;
        };
        Register: {
            /** Format: email */
            email: string;
            username: string;
            password: string;
            challenge_token?: unknown;
        };
        RegistrationPending: {
            message: string;
            /** Format: date-time */
            expires_at: string;
        };
        ResetCompletion: {
            token: string;
            new_password: string;
            challenge_token?: unknown;
            revoke_api_keys?: boolean;
        };
        ResetRequest: {
            /** Format: email */
            email: string;
            challenge_token?: unknown;
        };
        RevocationForm: {
            token: string;
            token_type_hint?: string;
            client_id?: string;
            client_secret?: string;
        };
        RevokedSessions: {
            success: boolean;
            /** Format: int64 */
            revoked_count: number;
            message: string;
        };
        Role: {
            id: string;
            name: string;
            description: string | null;
            is_system: boolean;
            requires_two_factor: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        RoleAssignment: {
            role_id: string;
            password?: string | null;
            code?: string | null;
        };
        RoleChange: {
            name?: string;
            description?: string | null;
            requires_two_factor?: boolean;
        };
        RoleList: {
            roles: {
                id: string;
                name: string;
                description: string | null;
            }[];
        };
        RoleListing: {
            data: components["schemas"]["Role"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        Schedule: {
            timezone: string;
            windows: components["schemas"]["ScheduleWindow"][];
        };
        ScheduleWindow: {
            days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            from: string;
            to: string;
        };
        SelfLink: {
            self: string;
        };
        ServerMetadata: {
            /** Format: uri */
            issuer: string;
            /** Format: uri */
            authorization_endpoint: string;
            /** Format: uri */
            token_endpoint: string;
            /** Format: uri */
            userinfo_endpoint: string;
            /** Format: uri */
            jwks_uri: string;
            /** Format: uri */
            revocation_endpoint: string;
            /** Format: uri */
            end_session_endpoint: string;
            scopes_supported: string[];
            response_types_supported: string[];
            response_modes_supported: string[];
            grant_types_supported: string[];
            subject_types_supported: string[];
            id_token_signing_alg_values_supported: string[];
            token_endpoint_auth_methods_supported: string[];
            revocation_endpoint_auth_methods_supported: string[];
            code_challenge_methods_supported: string[];
            claims_supported: string[];
            acr_values_supported: string[];
            prompt_values_supported: string[];
            ui_locales_supported: string[];
            claims_parameter_supported: boolean;
            request_parameter_supported: boolean;
            request_uri_parameter_supported: boolean;
            authorization_response_iss_parameter_supported: boolean;
        };
        SessionList: {
            sessions: components["schemas"]["ActiveSession"][];
            /** Format: uuid */
            current_session_id: string;
            _links: components["schemas"]["SelfLink"];
        };
        Setting: {
            key: string;
            value: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            description: string | null;
            is_public: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SettingListing: {
            data: components["schemas"]["Setting"][];
            pagination?: components["schemas"]["Pagination"];
            _links: components["schemas"]["ListLinks"];
        };
        SettingReplacement: {
            value: {
                [key: string]: unknown;
            } | unknown[] | string | number | boolean | null;
            description?: string | null;
            is_public?: boolean | null;
        };
        Shared: {
            label: string | null;
            /** @enum {string} */
            level: "live" | "history";
            /** Format: date-time */
            expires_at: string;
            devices: components["schemas"]["SharedDevice"][];
        };
        SharedDevice: {
            /** Format: uuid */
            device_id: string | null;
            name: string;
            position: components["schemas"]["SharedPosition"] | null;
        };
        SharedPosition: {
            latitude: number;
            longitude: number;
            /** Format: date-time */
            timestamp: string;
            heading: number | null;
            speed_kmh: number | null;
            speed_mps: number | null;
            speed_mph: number | null;
            speed_knots: number | null;
        };
        ShareLink: {
            /** Format: uuid */
            id: string;
            label: string | null;
            /** @enum {string} */
            level: "live" | "history";
            device_ids: string[];
            /** Format: uuid */
            trip_id: string | null;
            /** Format: date-time */
            from: string | null;
            /** Format: date-time */
            to: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: int64 */
            delay_seconds: number;
            precision_m: number | null;
            hide_zone_ids: string[];
            /** Format: uuid */
            made_by: string | null;
            is_silent: boolean;
            /** Format: int64 */
            opened_count: number;
            /** Format: date-time */
            last_opened_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ShareLinkPage: {
            data: components["schemas"]["ShareLink"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        SilenceCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "silence";
            /** Format: int32 */
            seconds: number;
        };
        SocketAccountBanned: {
            /** @constant */
            type: "accountBanned";
            /** Format: uuid */
            userId: string;
            reason?: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            isPermanent: boolean;
            /** Format: date-time */
            timestamp: string;
        };
        SocketAccountDeleted: {
            /** @constant */
            type: "accountDeleted";
            /** Format: uuid */
            userId: string;
            reason?: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        SocketAlertAcknowledged: {
            /** @constant */
            type: "alertAcknowledged";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketAlertCleared: {
            /** @constant */
            type: "alertCleared";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketAlertRaised: {
            /** @constant */
            type: "alertRaised";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketAlertUpdated: {
            /** @constant */
            type: "alertUpdated";
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketAnchorUpdate: {
            /** @constant */
            type: "anchorUpdate";
            data: components["schemas"]["AnchorWatch"] | components["schemas"]["GoneRecord"];
        };
        SocketDeviceUpdate: {
            /** @constant */
            type: "deviceUpdate";
            data: components["schemas"]["Device"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketEmailChangeVerified: {
            /** @constant */
            type: "emailChangeVerified";
            /** Format: uuid */
            userId: string;
            /** Format: email */
            email: string;
            /** Format: date-time */
            timestamp: string;
        };
        SocketEmailLinkVerified: {
            /** @constant */
            type: "emailLinkVerified";
            /** Format: uuid */
            userId: string;
            /** Format: email */
            email: string;
            /** Format: uuid */
            platformAccountId: string;
            /** Format: date-time */
            timestamp: string;
        };
        SocketError: {
            /** @constant */
            type: "error";
            message: string;
        };
        SocketForceLogout: {
            /** @constant */
            type: "forceLogout";
            /** Format: uuid */
            userId: string;
            reason?: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        SocketGeofenceCorrection: {
            /** @constant */
            type: "geofenceCorrection";
            data: components["schemas"]["ZoneCorrection"];
            cursor?: string;
        };
        SocketGeofenceEvent: {
            /** @constant */
            type: "geofenceEvent";
            data: components["schemas"]["GeofenceCrossing"];
            cursor?: string;
        };
        SocketGpsLate: {
            /** @constant */
            type: "gpsLate";
            data: components["schemas"]["LateSpan"];
            cursor?: string;
        };
        SocketGpsUpdate: {
            /** @constant */
            type: "gpsUpdate";
            data: components["schemas"]["HeardPosition"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketNotice: {
            /** @constant */
            type: "message";
            channel: string;
            data: string;
            cursor?: string;
        };
        SocketOAuthConsentRevoked: {
            /** @constant */
            type: "oauthConsentRevoked";
            /** Format: uuid */
            userId: string;
            clientId: string;
            /** Format: date-time */
            timestamp: string;
        };
        SocketPermissionsUpdated: {
            /** @constant */
            type: "permissionsUpdated";
            /** Format: uuid */
            userId: string;
            permissions: string[];
        };
        SocketPing: {
            /** @constant */
            type: "ping";
        };
        SocketPong: {
            /** @constant */
            type: "pong";
        };
        SocketReset: {
            /** @constant */
            type: "reset";
            channel: string;
            cursor: string;
            /** @enum {string} */
            reason: "expired" | "epoch";
        };
        SocketRolePermissionsChanged: {
            /** @constant */
            type: "rolePermissionsChanged";
            roleId: string;
            roleName: string;
        };
        SocketRolesUpdated: {
            /** @constant */
            type: "rolesUpdated";
            /** Format: uuid */
            userId: string;
            roles: string[];
            roleIds: string[];
            /** Format: date-time */
            timestamp: string;
        };
        SocketSessionRevoked: {
            /** @constant */
            type: "sessionRevoked";
            /** Format: uuid */
            userId: string;
            /** Format: uuid */
            sessionId: string;
            reason?: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        SocketSubscribe: {
            /** @constant */
            type: "subscribe";
            channel: string;
            since?: string;
            extended?: boolean;
        };
        SocketTripUpdate: {
            /** @constant */
            type: "tripUpdate";
            data: components["schemas"]["Trip"] | components["schemas"]["GoneRecord"];
            cursor?: string;
        };
        SocketUnsubscribe: {
            /** @constant */
            type: "unsubscribe";
            channel: string;
        };
        SocketVesselsUpdate: {
            /** @constant */
            type: "vesselsUpdate";
            data: {
                vessels: components["schemas"]["Vessel"][];
            };
        };
        SpeedCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "speed";
            above_knots: number;
        };
        SwitchedPlatform: {
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            enabled: boolean;
        };
        SystemCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "system";
            /** @enum {string} */
            what: "backup_age" | "disk_free" | "position_source" | "vessel_source" | "sync_backlog" | "email_queue";
            above?: number;
            below?: number;
        };
        SystemConfigChange: {
            value: number;
        };
        SystemConfigEntry: {
            /** @constant */
            key: "gps.current_cache_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "gps.rate_limit_requests";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "gps.rate_limit_window_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "gps.retention_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "gps.max_future_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "ingest.positions_per_minute";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "ingest.max_future_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "changes.retention_hours";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "changes.max_rows";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "geofence.exit_margin_m";
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "geofence.max_accuracy_m";
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "geofence.event_retention_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "alerts.retention_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "alerts.delivery_retention_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "trip.history_position_max_age_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "audit.retention_days";
            value: number | 0;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "pegel.default_radius_km";
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "pegel.history_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "vessels.radius_km";
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "vessels.broadcast_seconds";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "accounts.deletion_grace_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        } | {
            /** @constant */
            key: "export.log_retention_days";
            /** Format: int32 */
            value: number;
            description: string;
            /** Format: date-time */
            updated_at: string;
        };
        TimelineFigures: {
            distance_km: number;
            moving_seconds: number;
            stopped_seconds: number;
            average_speed_kmh: number | null;
            max_speed_kmh: number | null;
            /** Format: int64 */
            stops: number;
            zone_ids: string[];
            bbox: number[] | null;
        };
        TimelinePage: {
            data: components["schemas"]["TimelineSegment"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
            /** Format: date-time */
            recomputing_from: string | null;
        };
        TimelinePeriod: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            distance_km: number;
            moving_seconds: number;
            stopped_seconds: number;
            average_speed_kmh: number | null;
            max_speed_kmh: number | null;
            /** Format: int64 */
            stops: number;
            zone_ids: string[];
            bbox: number[] | null;
        };
        TimelineSegment: {
            /** @enum {string} */
            kind: "move" | "stop" | "gap";
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            duration_seconds: number;
            distance_km: number;
            average_speed_kmh: number | null;
            max_speed_kmh: number | null;
            moving_seconds: number;
            start: {
                latitude: number;
                longitude: number;
            };
            end: {
                latitude: number;
                longitude: number;
            };
            /** Format: uuid */
            location_id: string | null;
            zone_ids: string[];
            /** Format: int64 */
            points: number;
        };
        TimelineStatistics: {
            total: components["schemas"]["TimelineFigures"];
            periods: components["schemas"]["TimelinePeriod"][];
        };
        Token: {
            token: string;
        };
        TokenForm: {
            grant_type: string;
            code?: string;
            redirect_uri?: string;
            code_verifier?: string;
            refresh_token?: string;
            scope?: string;
            client_id?: string;
            client_secret?: string;
        };
        TokenResponse: {
            access_token: string;
            token_type: string;
            /** Format: int64 */
            expires_in: number;
            scope: string;
            refresh_token?: string;
            id_token?: string;
        };
        ToldPosition: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            device_id: string | null;
            /** Format: uuid */
            trip_id: string | null;
            latitude: number;
            longitude: number;
            altitude: number | null;
            heading: number | null;
            /** Format: date-time */
            timestamp: string;
            speed_kmh: number | null;
            speed_mps: number | null;
            speed_mph: number | null;
            speed_knots: number | null;
            pdop: number | null;
            hdop: number | null;
            vdop: number | null;
            /** Format: date-time */
            created_at: string;
        };
        TotpCode: {
            code: string;
            /** Format: uuid */
            user_id?: string;
        };
        Track: {
            /** Format: uuid */
            device_id: string | null;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** Format: int64 */
            points_total: number;
            /** Format: int64 */
            points: number;
            tolerance_m: number;
            distance_km: number;
            bbox: number[] | null;
            pieces: (number | null)[][][];
        };
        TrackAnswer: {
            data: components["schemas"]["Track"];
            _links: components["schemas"]["SelfLink"];
        };
        Tracker: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            device_id: string;
            name: string;
            /** @enum {string} */
            format: "owntracks" | "traccar_client" | "osmand" | "overland" | "gpslogger" | "traccar_server" | "generic";
            token_prefix: string;
            send_zones: boolean;
            is_encrypted: boolean;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            is_active: boolean;
            /** Format: int64 */
            rejected_total: number;
            last_rejection: components["schemas"]["LastRejection"] | null;
        };
        TrackerChange: {
            name?: string;
            is_active?: boolean;
            /** Format: date-time */
            expires_at?: string | null;
            send_zones?: boolean;
        };
        TrackerPage: {
            data: components["schemas"]["Tracker"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        Trip: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            status: "draft" | "active" | "paused" | "completed";
            gps_logging_enabled: boolean;
            /** Format: uuid */
            device_id: string | null;
            /** Format: uuid */
            category_id: string | null;
            /** Format: uuid */
            origin_id: string | null;
            /** Format: uuid */
            destination_id: string | null;
            weight_kg: number | null;
            notes: string | null;
            tags: string[];
            start_latitude: number | null;
            start_longitude: number | null;
            end_latitude: number | null;
            end_longitude: number | null;
            distance_km: number;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            /** Format: int64 */
            log_interval_minutes: number;
            /** Format: uuid */
            box_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TripCategory: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            parent_id: string | null;
            name: string;
            description: string | null;
            color: string | null;
            is_active: boolean;
            /** Format: int64 */
            sort_order: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TripCategoryChange: {
            name?: string;
            description?: string | null;
            color?: string | null;
            /** Format: int32 */
            sort_order?: number | null;
            is_active?: boolean;
        };
        TripChange: {
            name?: string;
            description?: string | null;
            gps_logging_enabled?: boolean | null;
            /** Format: uuid */
            device_id?: string | null;
            /** Format: uuid */
            category_id?: string | null;
            /** Format: uuid */
            origin_id?: string | null;
            /** Format: uuid */
            destination_id?: string | null;
            weight_kg?: number | null;
            notes?: string | null;
            tags?: string[] | null;
            /** Format: int32 */
            log_interval_minutes?: number | null;
            /** @enum {string} */
            status?: "draft" | "active" | "paused" | "completed";
            start_latitude?: number | null;
            start_longitude?: number | null;
            end_latitude?: number | null;
            end_longitude?: number | null;
        };
        TripOfTemplate: {
            weight_kg: number;
        };
        TripPage: {
            data: components["schemas"]["Trip"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        TripStatusChange: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            trip_id: string;
            /** @enum {string} */
            old_status: "draft" | "active" | "paused" | "completed";
            /** @enum {string} */
            new_status: "draft" | "active" | "paused" | "completed";
            /** Format: uuid */
            changed_by: string | null;
            latitude: number | null;
            longitude: number | null;
            /** Format: date-time */
            changed_at: string;
        };
        TripTemplate: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** Format: uuid */
            category_id: string | null;
            /** Format: uuid */
            origin_id: string | null;
            /** Format: uuid */
            destination_id: string | null;
            /** Format: uuid */
            device_id: string | null;
            gps_logging_enabled: boolean;
            default_weight_kg: number | null;
            notes: string | null;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TripTemplateChange: {
            name?: string;
            description?: string | null;
            /** Format: uuid */
            category_id?: string | null;
            /** Format: uuid */
            origin_id?: string | null;
            /** Format: uuid */
            destination_id?: string | null;
            /** Format: uuid */
            device_id?: string | null;
            gps_logging_enabled?: boolean | null;
            default_weight_kg?: number | null;
            notes?: string | null;
            tags?: string[] | null;
        };
        TwoFactorChallenge: {
            temp_token: string;
            code: string;
        };
        TwoFactorCheck: {
            /** Format: uuid */
            user_id: string;
            oauth_provider?: string | null;
        };
        TwoFactorCheckResult: {
            requires_2fa: boolean;
            temp_token?: string;
        };
        TwoFactorDisable: {
            code: string;
            /** Format: uuid */
            user_id?: string;
        };
        TwoFactorEnable: {
            code: string;
            /** Format: uuid */
            user_id?: string;
            password?: string | null;
            end_other_sessions?: boolean;
        };
        TwoFactorRequirement: {
            required: boolean;
            enabled: boolean;
            required_by_roles: string[];
            can_enable: boolean;
            reason: string;
        };
        TwoFactorSetup: {
            secret: string;
            /** Format: uri */
            qr_code_url: string;
            /** Format: uri */
            qr_code_image: string;
            /** Format: date-time */
            expires_at: string;
            platform_slug: string;
        };
        TwoFactorSetupInput: {
            /** Format: uuid */
            platform_id?: string;
            /** Format: uuid */
            user_id?: string;
            password?: string | null;
            code?: string | null;
        };
        TwoFactorStatus: {
            enabled: boolean;
            /** Format: date-time */
            enabled_at: string | null;
            /** Format: int64 */
            backup_codes_remaining: number;
            setup_platform: string | null;
            platform_slug: string | null;
        };
        User: {
            /** Format: uuid */
            id: string;
            username: string;
            /** Format: uuid */
            primary_platform_account_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_login_at: string | null;
            /** Format: date-time */
            deleted_at: string | null;
            privacy_mode: boolean;
            /** @enum {string|null} */
            preferred_locale: "en" | "de" | null;
            avatars_enabled: boolean;
        };
        UserChange: {
            username?: string;
            /** Format: email */
            email?: string;
            /** Format: uri */
            avatar_url?: string | null;
            privacy_mode?: boolean;
            avatars_enabled?: boolean;
            password?: string | null;
            code?: string | null;
        };
        UserInfo: {
            /** Format: uuid */
            sub: string;
            name?: string;
            preferred_username?: string;
            /** Format: uri */
            picture?: string;
            locale?: string;
            /** Format: int64 */
            updated_at?: number;
            /** Format: email */
            email?: string;
            email_verified?: boolean;
        };
        UsernameChange: {
            username: string;
        };
        UserPage: {
            data: components["schemas"]["User"][];
            pagination: components["schemas"]["Pagination"];
            _links: components["schemas"]["PageLinks"];
        };
        VerificationSent: {
            message: string;
            /** Format: date-time */
            expires_at: string;
        };
        VerificationToken: {
            token: string;
        };
        VerifiedEmail: {
            success: boolean;
            message: string;
            /** @enum {string} */
            verification_type: "registration" | "email_link" | "email_change";
            /** Format: uuid */
            user_id?: string;
            /** Format: uri */
            redirect_url: string;
        };
        Vessel: {
            /** Format: int64 */
            mmsi: number;
            name: string;
            /** Format: int64 */
            ship_type: number | null;
            ship_type_label: string;
            /** Format: int64 */
            nav_status: number | null;
            nav_status_label: string;
            length: number | null;
            beam: number | null;
            heading: number | null;
            lat: number;
            lng: number;
            course: number | null;
            speed_kmh: number;
        };
        WaterLevelCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "water_level";
            /** Format: uuid */
            station: string;
            above_cm?: number;
            below_cm?: number;
        };
        WaterLevelHistory: {
            station_id: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** Format: int64 */
            step_seconds: number;
            levels_cm: (number | null)[];
            lowest_cm: number | null;
            highest_cm: number | null;
            change_cm: number | null;
            is_complete: boolean;
        };
        WaterLevelStation: {
            station_id: string;
            shortname: string;
            longname: string;
            water_shortname: string;
            water_longname: string;
            latitude: number | null;
            longitude: number | null;
            km: number | null;
            agency: string;
            level_cm: number | null;
            /** Format: int64 */
            trend: number | null;
            /** Format: date-time */
            measured_at: string | null;
            state: string | null;
        };
        WaysToSignIn: {
            /** @enum {string} */
            password_login: "all" | "local_admins" | "none";
            registration: boolean;
            providers: {
                name: string;
                display_name: string;
                url: string;
            }[];
        };
        ZoneCondition: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "zone";
            /** @enum {string} */
            event: "enter" | "exit" | "passed" | "dwell";
            geofence_ids: string[];
        };
        ZoneCorrection: {
            /** Format: uuid */
            device_id: string;
            geofence_ids: string[];
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
        };
    };
    responses: {
        ValidationError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        ValidationErrorWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        UnauthorizedWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        ForbiddenWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        NotFoundWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        ConflictWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        PayloadTooLargeWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        UnsupportedMediaTypeWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        IdempotencyKeyReusedWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        UpgradeRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        InternalServerErrorWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        NotImplementedWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        ServiceUnavailableWithLimit: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        HeadersTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    healthRootPath: {
        parameters: {
            query?: {
                locale?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["ValidationError"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: {
                locale?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["ValidationError"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    livenessRootPath: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    liveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    readinessRootPath: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    apiAtGlance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiInfo"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    examineInstallation: {
        parameters: {
            query?: {
                locale?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Examination"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBackups: {
        parameters: {
            query?: {
                locale?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Backups"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    beginBackup: {
        parameters: {
            query?: {
                locale?: "en" | "de";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Backups"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Register"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPending"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Token"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    verifyEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Token"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedEmail"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    signInWithPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeSignInWithSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorChallenge"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    checkWhetherSignInNeedsSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorCheck"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorCheckResult"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    setNewPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetCompletion"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeOwnPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    proveAgainWhoYouAre: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reauthentication"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reauthenticated"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    askForPasskeyToProveAgainWhoYouAre: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    askForPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySignIn"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    askForPasskeyAsSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyChallenge"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeSignInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySecondFactor"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnPasskeys: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Passkey"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    askForNewPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Passkey"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTwoFactorStatus: {
        parameters: {
            query?: {
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorStatus"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTwoFactorRequirement: {
        parameters: {
            query?: {
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorRequirement"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setUpTwoFactorAuthentication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TwoFactorSetupInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactorSetup"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeSetUpOfTwoFactorAuthentication: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorEnable"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupCodes"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    turnTwoFactorAuthenticationOff: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoFactorDisable"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    regenerateBackupCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupCodes"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    unlockUserTwoFactorAuthentication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeAllOtherOwnSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedSessions"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeOneOwnSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotRevoked"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endAllSessionsOfUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedSessions"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInternalSession"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalSession"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSessionByItsToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalSession"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSessionByItsToken: {
        parameters: {
            query?: {
                reason?: "user_initiated" | "token_deleted" | "session_expired" | "revoked" | "no_access";
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOwnUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OwnUser"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getUserProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    chooseUserLocale: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocaleChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeUserUsername: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsernameChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listUserPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUserRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    assignRoleToUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleAssignment"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    removeRoleFromUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "pending" | "accepted" | "expired" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedInvitation"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Acceptance"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    askForPasskeyOfInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyForAcceptance"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    requestChangeOfEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationSent"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    verifyChangeOfEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerificationToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getPendingChangeOfEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingEmailChange"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelPendingChangeOfEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    requestToLinkEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailLink"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationSent"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    verifyLinkedEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerificationToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedEmail"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getPendingEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingEmailLink"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelPendingEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listPlatformAccountsOfUser: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformAccountListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    makePlatformAccountPrimary: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlatformAccount"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    unlinkPlatformAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    noteSignInThroughExternalProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExternalLogin"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExtendedUser"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findUserByEmailAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ExtendedUser"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPlatforms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformListing"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEnabledPlatforms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformListing"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id_or_slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Platform"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    switchPlatformOnOrOff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id_or_slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformSwitch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SwitchedPlatform"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changePlatformSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id_or_slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformSettings"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPlatform"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getUserBan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanStatus"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    banUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewBan"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Ban"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    unbanUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listUserBans: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BanListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDeletionStatusOfOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionStatus"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    scheduleDeletionOfOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeletionRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionStatus"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    cancelDeletionOfOwnAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getUserDeletionStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionStatus"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelUserDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    deleteUserForGood: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForcedDeletion"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listRoles: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRole"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Role"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Role"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Role"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listPermissionsOfRole: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addPermissionToRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PermissionAssignment"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    removePermissionFromRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                permission_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listPermissions: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPermission: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPermission"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Permission"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getPermission: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Permission"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnOAuthClients: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthClientListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createOAuthClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOAuthClient"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedOAuthClient"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listAllOAuthClients: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthClientListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOAuthClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OAuthClient"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOAuthClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeOAuthClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OAuthClientChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OAuthClient"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    regenerateSecretOfOAuthClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Proof"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegeneratedSecret"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getOpenIdConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAuthorizationServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerMetadata"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    requestTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenForm"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResponse"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthErrorBody"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthErrorBody"];
                };
            };
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsufficientScope"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    postForUserInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserInfo"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsufficientScope"];
                };
            };
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["RevocationForm"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthErrorBody"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthErrorBody"];
                };
            };
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnConsents: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsentPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeOwnConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWaysToSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaysToSignIn"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exchangeCodeOfProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthResponse"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    proveAgainAtProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OidcBeginning"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcBegun"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnIdentities: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcIdentityPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    linkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OidcCode"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OidcIdentity"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    beginToLinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OidcBeginning"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcBegun"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getOwnWaysIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnWaysIn"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    regenerateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Proof"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegeneratedApiKey"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listRolesOfApiKey: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    assignRoleToApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleAssignment"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    removeRoleFromApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnAuditEvents: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                event_type?: string;
                resource_type?: string;
                status?: "success" | "failure";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reportAuditEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAuditReport"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReportResult"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnAuditReports: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEventsOfUser: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                event_type?: string;
                resource_type?: string;
                status?: "success" | "failure";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                event_type?: string;
                resource_type?: string;
                status?: "success" | "failure";
                user_id?: string;
                user_search?: string;
                source_service?: "api" | "id" | "backend" | "policies" | "community_bot" | "stream_bot";
                start_date?: string;
                end_date?: string;
                sort_field?: "event_type" | "user_id" | "status" | "created_at";
                sort_direction?: "asc" | "desc";
                is_reported?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyAuditLog: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditReports: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "pending" | "reviewed" | "resolved" | "dismissed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    handleAuditReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AuditReportChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditReport"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    writeAuditEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAuditEvent"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEvent"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    exportOwnPersonalData: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": unknown;
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnExports: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportLogs"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    queryByGraphQL: {
        parameters: {
            query: {
                query: string;
                variables?: string;
                operationName?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLAnswer"];
                    "application/graphql-response+json": components["schemas"]["GraphQLAnswer"];
                    "text/html": unknown;
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        errors: components["schemas"]["GraphQLError"][];
                    } | components["schemas"]["ErrorBody"];
                    "application/graphql-response+json": {
                        errors: components["schemas"]["GraphQLError"][];
                    } | components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    askByGraphQL: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GraphQLRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLAnswer"];
                    "application/graphql-response+json": components["schemas"]["GraphQLAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphQLRefusal"];
                    "application/graphql-response+json": components["schemas"]["GraphQLRefusal"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query: {
                since: string;
                types?: string;
                device_id?: string;
                limit?: number;
                wait_seconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changes"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorExpiredBody"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                since?: string;
                types?: string;
                device_id?: string;
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CursorExpiredBody"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPositions: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                device_id?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postPosition: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGpsPoint"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GpsPoint"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            422: components["responses"]["IdempotencyKeyReusedWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getCurrentPosition: {
        parameters: {
            query?: {
                device_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GpsPoint"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCurrentPositionOfEachDevice: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GpsPoint"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GpsPoint"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    markPosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GpsPointChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GpsPoint"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    postPositions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DevicePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDevice"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listTrackers: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackerPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTracker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTracker"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedTracker"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTracker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tracker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tracker"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTracker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tracker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeTracker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                tracker_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrackerChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tracker"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listShares: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceSharePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeviceShare"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    shareDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewShare"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeviceShare"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeviceShare"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    endShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listOwnShares: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceShareListing"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listShareLinks: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareLinkPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewShareLink"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedShareLink"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ShareLink"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getShared: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Shared"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            404: components["responses"]["NotFoundWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getSharedTrack: {
        parameters: {
            query?: {
                device_id?: string;
                from?: string;
                to?: string;
                tolerance_m?: number;
                max_points?: number;
                gap_seconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Track"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTrackOfDevice: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                tolerance_m?: number;
                max_points?: number;
                gap_seconds?: number;
                format?: "json" | "geojson" | "gpx" | "kml" | "csv";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackAnswer"];
                    "application/geo+json": unknown;
                    "application/gpx+xml": unknown;
                    "application/vnd.google-earth.kml+xml": unknown;
                    "text/csv": unknown;
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTrackOfTrip: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                tolerance_m?: number;
                max_points?: number;
                gap_seconds?: number;
                format?: "json" | "geojson" | "gpx" | "kml" | "csv";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackAnswer"];
                    "application/geo+json": unknown;
                    "application/gpx+xml": unknown;
                    "application/vnd.google-earth.kml+xml": unknown;
                    "text/csv": unknown;
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromOwnTracks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    }[];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromOwnTracksByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    }[];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeGetFromOsmAnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takePostFromOsmAnd: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeGetFromOsmAndByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takePostFromOsmAndByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromOverland: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlandResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromOverlandByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlandResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromDawarich: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlandResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromDawarichByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverlandResult"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeGetFromGpsLogger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takePostFromGpsLogger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeGetFromGpsLoggerByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takePostFromGpsLoggerByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromTraccar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromTraccarByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromGeneric: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                }[] | {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestCounts"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    takeFromGenericByAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                }[] | {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestCounts"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importPositions: {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gpx+xml": string;
                "application/xml": string;
                "text/xml": string;
                "text/csv": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReport"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTrips: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "draft" | "active" | "paused" | "completed";
                device_id?: string;
                category_id?: string;
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TripPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTrip: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTrip"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Trip"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTrip: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Trip"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTrip: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeTripOrItsStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TripChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Trip"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listPositionsOfTrip: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listStatusChangesOfTrip: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TripStatusChange"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogOfTrip: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                format?: "pdf" | "csv" | "json";
                locale?: "en" | "de";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"] | components["schemas"]["LogFile"];
                    "text/csv": unknown;
                    "application/pdf": unknown;
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    writeLogEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLogEntry"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogEntry"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    verifyLogOfTrip: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogVerification"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLogEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                entry_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogEntry"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    strikeLogEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                entry_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLogStrike"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogEntry"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listLocations: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLocation"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LocationWithContacts"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LocationWithContacts"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LocationWithContacts"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLocationContact"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LocationContact"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    deleteContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                cid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                cid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationContactChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LocationContact"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listZones: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofencePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createZone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGeofence"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Geofence"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Geofence"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GeofenceChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Geofence"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listCrossings: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                device_id?: string;
                geofence_id?: string;
                trip_id?: string;
                event?: "enter" | "exit" | "passed" | "dwell";
                from?: string;
                to?: string;
                include_superseded?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofenceEventPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCrossing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GeofenceEvent"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPresence: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                device_id?: string;
                geofence_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofencePresencePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDevicesInZone: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceInsidePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVisitsOfZone: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofenceVisitPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTimelineOfDevice: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelinePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStatisticsOfDevice: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                by?: "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TimelineStatistics"];
                        _links: components["schemas"]["SelfLink"];
                        /** Format: date-time */
                        recomputing_from: string | null;
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStatisticsOfTrip: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                by?: "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TimelineStatistics"];
                        _links: components["schemas"]["SelfLink"];
                        /** Format: date-time */
                        recomputing_from: string | null;
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStatisticsOfDevices: {
        parameters: {
            query: {
                device_ids: string;
                from?: string;
                to?: string;
                by?: "day" | "week" | "month";
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeviceStatistics"][];
                        _links: components["schemas"]["SelfLink"];
                        /** Format: date-time */
                        recomputing_from: string | null;
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "open" | "acknowledged" | "cleared";
                device_id?: string;
                severity?: "info" | "warning" | "alarm";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertWithDeliveries"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    acknowledgeAlert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Acknowledgement"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alert"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listAnchorWatches: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnchorWatchPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAnchorWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AnchorWatch"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setAnchorWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnchorDrop"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AnchorWatch"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    endAnchorWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    testAnchorWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AnchorTest"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listAlertRules: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRulePage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAlertRule"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertRule"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertRule"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRuleChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AlertRule"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listNotificationTargets: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTargetPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewNotificationTarget"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedNotificationTarget"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NotificationTarget"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationTargetChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NotificationTarget"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    rotateSecretOfNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedNotificationTarget"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    testNotificationTarget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTest"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listDeliveriesOfNotificationTarget: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listTripCategories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TripCategory"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTripCategory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTripCategory"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripCategory"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTripCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripCategory"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTripCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeTripCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TripCategoryChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripCategory"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listTripTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TripTemplate"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTripTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTripTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripTemplate"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getTripTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripTemplate"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTripTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeTripTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TripTemplateChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TripTemplate"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    createTripFromTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TripOfTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Trip"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listBoxes: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BoxPage"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBox"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedBox"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getBox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Box"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteBox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    changeBox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BoxChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Box"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    rotateTokenOfBox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewBoxToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedBox"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    resyncBox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Box"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getSetOfBox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssignedSet"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pushOfBox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushAnswer"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSystemSettings: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSystemSetting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSetting"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Setting"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listPublicSettings: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicSettingListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSystemSetting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Setting"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replaceSystemSetting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Setting"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    deleteSystemSetting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listSystemConfig: {
        parameters: {
            query?: {
                prefix?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemConfigEntry"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSystemConfigEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: "gps.current_cache_seconds" | "gps.rate_limit_requests" | "gps.rate_limit_window_seconds" | "gps.retention_days" | "gps.max_future_seconds" | "ingest.positions_per_minute" | "ingest.max_future_seconds" | "changes.retention_hours" | "changes.max_rows" | "geofence.exit_margin_m" | "geofence.max_accuracy_m" | "geofence.event_retention_days" | "alerts.retention_days" | "alerts.delivery_retention_days" | "trip.history_position_max_age_seconds" | "audit.retention_days" | "pegel.default_radius_km" | "pegel.history_days" | "vessels.radius_km" | "vessels.broadcast_seconds" | "accounts.deletion_grace_days" | "export.log_retention_days";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SystemConfigEntry"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeSystemConfigEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: "gps.current_cache_seconds" | "gps.rate_limit_requests" | "gps.rate_limit_window_seconds" | "gps.retention_days" | "gps.max_future_seconds" | "ingest.positions_per_minute" | "ingest.max_future_seconds" | "changes.retention_hours" | "changes.max_rows" | "geofence.exit_margin_m" | "geofence.max_accuracy_m" | "geofence.event_retention_days" | "alerts.retention_days" | "alerts.delivery_retention_days" | "trip.history_position_max_age_seconds" | "audit.retention_days" | "pegel.default_radius_km" | "pegel.history_days" | "vessels.radius_km" | "vessels.broadcast_seconds" | "accounts.deletion_grace_days" | "export.log_retention_days";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SystemConfigChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SystemConfigEntry"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getNearestWaterLevel: {
        parameters: {
            query?: {
                water?: string;
                radius?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NearestWaterLevelStation"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNearbyWaterLevel: {
        parameters: {
            query?: {
                water?: string;
                radius?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NearbyWaterLevel"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWaterLevelStations: {
        parameters: {
            query?: {
                water?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaterLevelStation"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWaterLevelHistory: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                points?: number;
            };
            header?: never;
            path: {
                station_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WaterLevelHistory"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWaterLevelHistories: {
        parameters: {
            query: {
                station_ids: string;
                from?: string;
                to?: string;
                points?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WaterLevelHistory"][];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnIntegrations: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listIntegrationPlatforms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationPlatforms"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnIntegrationsOfPlatform: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listScopesOfPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationScopes"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    connectAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationConnect"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationAuthorization"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeConnection: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                error?: string;
                iss?: string;
            };
            header?: never;
            path: {
                platform: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
            default: components["responses"]["OtherError"];
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Integration"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    renewTokensOfIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationRefreshed"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    readStatsOfChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelStatsResult"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    setBotStatusOfIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BotStatusChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BotStatusResult"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getPublicStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicStats"];
                };
            };
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listGuilds: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuildListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        guild_id: string;
                        name: string;
                        icon: string | null;
                        /** Format: uri */
                        icon_url: string | null;
                        owner_id: string;
                        /** Format: int64 */
                        member_count: number;
                        /** Format: int64 */
                        boost_count: number;
                        /** Format: int64 */
                        premium_tier: number;
                        /** Format: date-time */
                        bot_joined_at: string | null;
                        /** Format: date-time */
                        last_synced_at: string;
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    listGuildChannels: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GuildChannelListing"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getGuildWithItsChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityFullGuild"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    syncGuilds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CommunitySync"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityGuildSync"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getBotSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunitySettings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeBotSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommunitySettingsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunitySettingsChanged"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getBotSettingsOnGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityGuildSettings"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeBotSettingsOnGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommunityGuildSettingsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunitySettingsChanged"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    findMembersOfGuild: {
        parameters: {
            query?: {
                search?: string;
                bot_only?: boolean;
                humans_only?: boolean;
                has_role?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityMembers"];
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMemberOfGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /** Format: uuid */
                        guild_id: string;
                        user_id: string;
                        username: string;
                        discriminator: string | null;
                        global_name: string | null;
                        nickname: string | null;
                        avatar: string | null;
                        /** Format: uri */
                        avatar_url: string;
                        bot: boolean;
                        system: boolean;
                        /** Format: date-time */
                        joined_at: string | null;
                        /** Format: date-time */
                        premium_since: string | null;
                        deaf: boolean;
                        mute: boolean;
                        pending: boolean;
                        /** Format: date-time */
                        communication_disabled_until: string | null;
                        roles: string[];
                        display_name: string;
                        formatted_username: string;
                        is_timed_out: boolean;
                    };
                };
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    syncMembersOfGuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                guild_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityMemberSync"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            404: components["responses"]["NotFoundWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    openWebSocket: {
        parameters: {
            query?: {
                token?: string;
                share?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            426: components["responses"]["UpgradeRequired"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCharts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChartListing"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChartTile: {
        parameters: {
            query?: {
                v?: string;
            };
            header?: never;
            path: {
                name: string;
                z: number;
                x: number;
                y: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationError"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFirstStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirstStart"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    makeFirstAdministrator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FirstAdministrator"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    renewFirstStartCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirstStart"];
                };
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getSessionOfPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageState"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signInOnPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageLogin"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    signOutOfPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeSignInOnPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageChallenge"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    signInOnPageWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PagePasskey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    completeSignInOnPageWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PagePasskeyChallenge"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            409: components["responses"]["ConflictWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    signInOnPageThroughProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            403: components["responses"]["ForbiddenWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    getAddressesOfServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageAddresses"];
                };
            };
            401: components["responses"]["Unauthorized"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDownload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDownload"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Download"];
                        _links: components["schemas"]["SelfLink"];
                    };
                };
            };
            400: components["responses"]["ValidationErrorWithLimit"];
            401: components["responses"]["UnauthorizedWithLimit"];
            413: components["responses"]["PayloadTooLargeWithLimit"];
            415: components["responses"]["UnsupportedMediaTypeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
        };
    };
    openDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            400: components["responses"]["ValidationError"];
            404: components["responses"]["NotFound"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signInNotImplemented: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            501: components["responses"]["NotImplementedWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
            default: components["responses"]["OtherError"];
        };
    };
    validateNotImplemented: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            413: components["responses"]["PayloadTooLargeWithLimit"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalServerErrorWithLimit"];
            501: components["responses"]["NotImplementedWithLimit"];
            503: components["responses"]["ServiceUnavailableWithLimit"];
            default: components["responses"]["OtherError"];
        };
    };
}
