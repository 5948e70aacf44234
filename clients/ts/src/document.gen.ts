// Written by `bun run generate:client`. Do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A condition that holds, or held, and that people were told of */
        Alert: {
            /**
             * Format: uuid
             * @description Identifier
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string;
            /**
             * Format: uuid
             * @description The rule; null for the anchor watch, which alerts by itself
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            rule_id: string | null;
            /**
             * @description Its name when the alert was raised
             * @example Leaves at night
             */
            rule_name: string | null;
            /**
             * @description The type of the condition that holds
             * @example zone
             * @enum {string}
             */
            condition: "zone" | "silence" | "speed" | "anchor" | "battery" | "water_level" | "system";
            /**
             * @description The crossing, where the condition is one of zones
             * @example enter
             * @enum {string|null}
             */
            event: "enter" | "exit" | "passed" | "dwell" | null;
            /**
             * @description Alarms are sent at any time, also in the quiet times of targets
             * @example alarm
             * @enum {string}
             */
            severity: "info" | "warning" | "alarm";
            /**
             * @description `cleared` once the condition doesn't hold any more
             * @example open
             * @enum {string}
             */
            status: "open" | "acknowledged" | "cleared";
            /**
             * Format: uuid
             * @description The device; null where the condition is one of no device
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string | null;
            /**
             * @description Its name when the alert was raised
             * @example Van 3
             */
            device_name: string | null;
            /**
             * Format: uuid
             * @description The zone, where the condition is one of zones
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            geofence_id: string | null;
            /**
             * @description Its name when the alert was raised
             * @example Depot
             */
            geofence_name: string | null;
            /**
             * @description Of a water level the station's identifier, of the installation the measure, of an anchor watch `warning`, `dragging` or `silent`
             * @example dragging
             */
            subject: string | null;
            /**
             * @description Name of the zone or the station when the alert was raised; null where there is none
             * @example Depot
             */
            subject_name: string | null;
            /**
             * @description The alert in words: the rule's text, or a sentence in English
             * @example Van 3 left Depot
             */
            message: string;
            /**
             * @description Whether `message` is the rule's text
             * @example false
             */
            has_own_message: boolean;
            /**
             * @description What was measured last: knots, percent, centimetres, seconds of silence, metres from the anchor, or the unit of the measure
             * @example 7.4
             */
            value: number | null;
            /**
             * @description Latitude of the place, in degrees
             * @example 54.0967
             */
            latitude: number | null;
            /**
             * @description Longitude of the place, in degrees
             * @example 13.4553
             */
            longitude: number | null;
            /**
             * Format: date-time
             * @description Time of the position there
             * @example 2026-05-04T09:30:00.000Z
             */
            position_at: string | null;
            /**
             * Format: int64
             * @description Times that the condition began to hold, within the rule's cooldown
             * @example 1
             */
            count: number;
            /**
             * @description Whether late positions have overturned the crossing that raised it
             * @example false
             */
            is_corrected: boolean;
            /**
             * Format: date-time
             * @description When it was raised
             * @example 2026-05-04T09:30:00.000Z
             */
            raised_at: string;
            /**
             * Format: date-time
             * @description When the condition was last seen to hold, to the minute
             * @example 2026-05-04T09:30:00.000Z
             */
            last_seen_at: string;
            /**
             * Format: date-time
             * @description When the condition ceased to hold
             * @example 2026-05-04T09:30:00.000Z
             */
            cleared_at: string | null;
            /**
             * Format: date-time
             * @description When somebody acknowledged it
             * @example 2026-05-04T09:30:00.000Z
             */
            acknowledged_at: string | null;
            /**
             * Format: uuid
             * @description The user who did; null for a key of the installation
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            acknowledged_by: string | null;
            /**
             * @description The note of whoever did
             * @example On my way
             */
            acknowledge_note: string | null;
            /**
             * Format: date-time
             * @description When further targets were told, since nobody had acknowledged it
             * @example 2026-05-04T09:30:00.000Z
             */
            escalated_at: string | null;
            /**
             * Format: uuid
             * @description The box that it belongs to, which raised it, and where alone it can be acknowledged; null for one of this server
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            box_id: string | null;
        };
        /** @description The watch over a boat at anchor */
        AnchorWatch: {
            /**
             * Format: uuid
             * @description The device
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string;
            /**
             * @description `holding`: inside; `warning`: beyond the warning radius; `dragging`: beyond the radius; `silent`: no position has arrived for `silence_seconds`
             * @example holding
             * @enum {string}
             */
            state: "holding" | "warning" | "dragging" | "silent";
            /**
             * @description Latitude of the anchor, in degrees
             * @example 54.0967
             */
            latitude: number;
            /**
             * @description Longitude of the anchor, in degrees
             * @example 13.4553
             */
            longitude: number;
            /**
             * @description Metres from the anchor beyond which it drags
             * @example 45
             */
            radius_m: number;
            /**
             * @description Metres from the anchor beyond which a warning is raised
             * @example 35
             */
            warning_radius_m: number | null;
            /**
             * Format: int64
             * @description Seconds without a position that are an alarm
             * @example 120
             */
            silence_seconds: number;
            /**
             * Format: int64
             * @description Positions in a row that make the state change
             * @example 2
             */
            confirm_fixes: number;
            /**
             * @description Severity of `dragging` and `silent`; that of `warning` is a warning
             * @example alarm
             * @enum {string}
             */
            severity: "info" | "warning" | "alarm";
            /** @description Targets to be told; null for those used by default */
            target_ids: string[] | null;
            /**
             * Format: date-time
             * @description When the watch began
             * @example 2026-05-04T09:30:00.000Z
             */
            dropped_at: string;
            /**
             * @description Metres from the newest position to the anchor; null before the first position
             * @example 31.4
             */
            distance_m: number | null;
            /**
             * @description Bearing from the newest position to the anchor, in degrees from true north
             * @example 212.4
             */
            bearing_deg: number | null;
            /**
             * @description The largest distance since `dropped_at`, in metres from where the anchor was at the time; a single stray position doesn't count
             * @example 38.2
             */
            max_distance_m: number;
            /**
             * Format: date-time
             * @description Time of the newest position
             * @example 2026-05-04T09:30:00.000Z
             */
            last_position_at: string | null;
            /**
             * Format: uuid
             * @description The open alert, if any: that of the silence first, then that of the anchor
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            alert_id: string | null;
            /**
             * Format: date-time
             * @description When it was last set
             * @example 2026-05-04T09:30:00.000Z
             */
            updated_at: string;
        };
        /**
         * @description Trips that the device begins and ends by itself, as it moves; null for none
         * @example {
         *       "is_enabled": true,
         *       "start_after_minutes": 3,
         *       "end_after_minutes": 20,
         *       "min_distance_km": 0.5,
         *       "name_template": "{origin} {date} {time}"
         *     }
         */
        AutoTrip: {
            /**
             * @description Whether it makes trips by itself
             * @example true
             */
            is_enabled: boolean;
            /**
             * Format: int32
             * @description Minutes that a move must last before its trip begins
             * @default 3
             * @example 3
             */
            start_after_minutes: number;
            /**
             * Format: int32
             * @description Minutes that a stop, or a silence, must last before the trip is completed
             * @default 20
             * @example 20
             */
            end_after_minutes: number;
            /**
             * @description A trip that is shorter when it ends is removed again
             * @default 0.5
             * @example 0.5
             */
            min_distance_km: number;
            /**
             * @description Name of the trip: `{date}` and `{time}` (UTC) are those of its beginning, `{origin}` the location there or its coordinates, `{device}` the name of the device
             * @default {origin} {date} {time}
             * @example {origin} {date} {time}
             */
            name_template: string;
        };
        /** @description A numbered change, with the data of the message `alertAcknowledged` */
        Change_alertAcknowledged: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "alertAcknowledged";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `alertCleared` */
        Change_alertCleared: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "alertCleared";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `alertRaised` */
        Change_alertRaised: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "alertRaised";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `alertUpdated` */
        Change_alertUpdated: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "alertUpdated";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `deviceUpdate` */
        Change_deviceUpdate: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "deviceUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["Device"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `geofenceCorrection` */
        Change_geofenceCorrection: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "geofenceCorrection";
            data: components["schemas"]["ZoneCorrection"];
        };
        /** @description A numbered change, with the data of the message `geofenceEvent` */
        Change_geofenceEvent: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "geofenceEvent";
            data: components["schemas"]["GeofenceCrossing"];
        };
        /** @description A numbered change, with the data of the message `gpsLate` */
        Change_gpsLate: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "gpsLate";
            data: components["schemas"]["LateSpan"];
        };
        /** @description A numbered change, with the data of the message `gpsUpdate` */
        Change_gpsUpdate: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "gpsUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["ToldPosition"] | components["schemas"]["GoneRecord"];
        };
        /** @description A numbered change, with the data of the message `tripUpdate` */
        Change_tripUpdate: {
            /**
             * @description Whoever has this cursor knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description The message that tells of it
             * @constant
             */
            type: "tripUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["Trip"] | components["schemas"]["GoneRecord"];
        };
        /** @description Changes after a cursor */
        Changes: {
            /** @description The changes, in order */
            changes: (components["schemas"]["Change_gpsUpdate"] | components["schemas"]["Change_gpsLate"] | components["schemas"]["Change_geofenceEvent"] | components["schemas"]["Change_geofenceCorrection"] | components["schemas"]["Change_tripUpdate"] | components["schemas"]["Change_deviceUpdate"] | components["schemas"]["Change_alertRaised"] | components["schemas"]["Change_alertUpdated"] | components["schemas"]["Change_alertAcknowledged"] | components["schemas"]["Change_alertCleared"])[];
            /**
             * @description The cursor to go on from
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            next: string;
            /**
             * @description True if `next` is the newest change
             * @example true
             */
            is_complete: boolean;
        };
        /** @description The changes after the cursor are gone */
        CursorExpiredBody: {
            /**
             * @description Short name of the error
             * @example NotFound
             */
            error: string;
            /**
             * @description What went wrong, for a person
             * @example Trip not found
             */
            message: string;
            /** @description The invalid fields, with a ValidationError */
            details?: {
                /**
                 * @description JSON pointer into the input
                 * @example /latitude
                 */
                path: string;
                /**
                 * @description What is wrong there
                 * @example must be a number
                 */
                message: string;
            }[];
            /**
             * @description The cursor to go on from, once the state was read
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            next: string;
        };
        /** @description Something that reports positions */
        Device: {
            /**
             * Format: uuid
             * @description Identifier
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string;
            /**
             * @description Name
             * @example Pilot boat 2
             */
            name: string;
            /**
             * @description What the device is
             * @example Tracker behind the bridge console
             */
            description: string | null;
            /**
             * @description Kind of device, in your own words: nothing depends on it
             * @example gps-tracker
             */
            device_type: string | null;
            /**
             * Format: uuid
             * @description The API key that posts this device's positions
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            api_key_id: string | null;
            /**
             * @description The name by which other systems know it, such as Traccar's `uniqueId`
             * @example 860123045678901
             */
            external_id: string | null;
            /**
             * @description Positions that imply a higher speed are marked as outliers; null for no check
             * @example 80
             */
            max_speed_kmh: number | null;
            /**
             * @description Metres within which the device counts as standing still in its timeline
             * @example 75
             */
            stop_radius_m: number;
            /**
             * Format: int64
             * @description Minutes within that radius that make a stop
             * @example 5
             */
            stop_minutes: number;
            /**
             * Format: int64
             * @description Minutes without a position, after which it is elsewhere, that make a gap
             * @example 30
             */
            gap_minutes: number;
            /**
             * @description Trips that the device begins and ends by itself, as it moves; null for none
             * @example {
             *       "is_enabled": true,
             *       "start_after_minutes": 3,
             *       "end_after_minutes": 20,
             *       "min_distance_km": 0.5,
             *       "name_template": "{origin} {date} {time}"
             *     }
             */
            auto_trip: components["schemas"]["AutoTrip"] | null;
            /**
             * @description Whether the device is in use
             * @example true
             */
            is_active: boolean;
            /**
             * Format: uuid
             * @description The box that it belongs to, which sends its positions and trips, and where alone it can be changed; null for one of this server
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            box_id: string | null;
            /**
             * Format: date-time
             * @description Time of its newest position; null while it has none
             * @example 2026-05-04T09:30:00.000Z
             */
            last_position_at: string | null;
            /**
             * @description Charge of its battery at the newest position, in percent
             * @example 82
             */
            battery_percent: number | null;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-05-04T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-05-04T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A zone's border that a device crossed */
        GeofenceCrossing: {
            /**
             * Format: uuid
             * @description The zone
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            geofence_id: string;
            /**
             * @description Its name
             * @example Harbour of Greifswald
             */
            geofence_name: string;
            /**
             * @description The direction in which the border was crossed
             * @example enter
             * @enum {string}
             */
            event: "enter" | "exit";
            /**
             * Format: uuid
             * @description The device that crossed it
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string;
            /**
             * @description Distance of the device from the zone's centre in km
             * @example 0.42
             */
            distance_km: number;
            /**
             * @description The zone's own metadata
             * @example {
             *       "berth": "N4",
             *       "pilotage": true
             *     }
             */
            metadata: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A record that is gone by now */
        GoneRecord: {
            /**
             * Format: uuid
             * @description The record that was there
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string;
            /**
             * Format: uuid
             * @description The device that it belonged to, if any
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string | null;
            /**
             * @description Always true
             * @constant
             */
            is_deleted: true;
        };
        /** @description A position that was stored, or that a link shows now */
        HeardPosition: {
            /**
             * Format: uuid
             * @description Identifier; null by a link
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string | null;
            /**
             * Format: uuid
             * @description The device that reported it; null when no device did
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string | null;
            /**
             * Format: uuid
             * @description The trip that it belongs to, if any
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            trip_id: string | null;
            /**
             * @description Degrees, WGS 84
             * @example 54.0967
             */
            latitude: number;
            /**
             * @description Degrees, WGS 84
             * @example 13.4553
             */
            longitude: number;
            /**
             * @description Metres
             * @example 3.2
             */
            altitude: number | null;
            /**
             * @description Course over ground, degrees true
             * @example 212.4
             */
            heading: number | null;
            /**
             * Format: date-time
             * @description When the receiver fixed the position
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
            /**
             * @description Speed over ground in km/h; null when the source told none
             * @example 13.7
             */
            speed_kmh: number | null;
            /**
             * @description Speed over ground in m/s; null when the source told none
             * @example 3.81
             */
            speed_mps: number | null;
            /**
             * @description Speed over ground in mph; null when the source told none
             * @example 8.51
             */
            speed_mph: number | null;
            /**
             * @description Speed over ground in knots; null when the source told none
             * @example 7.4
             */
            speed_knots: number | null;
            /**
             * @description Position dilution of precision
             * @example 1.6
             */
            pdop: number | null;
            /**
             * @description Horizontal dilution of precision
             * @example 0.9
             */
            hdop: number | null;
            /**
             * @description Vertical dilution of precision
             * @example 1.3
             */
            vdop: number | null;
            /**
             * Format: date-time
             * @description When the server stored it
             * @example 2026-05-04T09:30:00.000Z
             */
            created_at: string;
        };
        /** @description The span that a map has to load anew */
        LateSpan: {
            /**
             * Format: uuid
             * @description The device
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string;
            /**
             * Format: int64
             * @description Positions that were stored
             * @example 412
             */
            count: number;
            /**
             * Format: date-time
             * @description Time of the oldest one
             * @example 2026-05-04T09:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Time of the newest one
             * @example 2026-05-04T09:30:00.000Z
             */
            to: string;
            /** @description The trips that they joined */
            trip_ids: string[];
        };
        /** @description The user was banned. The client should close the socket and sign out */
        SocketAccountBanned: {
            /**
             * @description Kind
             * @constant
             */
            type: "accountBanned";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description Why, in words
             * @example Signed out everywhere
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When the ban ends; null for a permanent one
             * @example 2026-05-04T09:30:00.000Z
             */
            expiresAt: string | null;
            /**
             * @description Whether the ban has no end
             * @example false
             */
            isPermanent: boolean;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description The account was deleted. The client should close the socket and sign out */
        SocketAccountDeleted: {
            /**
             * @description Kind
             * @constant
             */
            type: "accountDeleted";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description Why, in words
             * @example Signed out everywhere
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description Somebody acknowledged an alert. To `alerts` */
        SocketAlertAcknowledged: {
            /**
             * @description Kind
             * @constant
             */
            type: "alertAcknowledged";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description The condition of an alert ceased to hold. To `alerts` */
        SocketAlertCleared: {
            /**
             * @description Kind
             * @constant
             */
            type: "alertCleared";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description An alert was raised. To `alerts` */
        SocketAlertRaised: {
            /**
             * @description Kind
             * @constant
             */
            type: "alertRaised";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description An open alert was seen again, returned, was overturned by late positions, or was told further targets. To `alerts` */
        SocketAlertUpdated: {
            /**
             * @description Kind
             * @constant
             */
            type: "alertUpdated";
            /** @description The record as it is now */
            data: components["schemas"]["Alert"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description The state of an anchor watch changed, it was set or ended, or the boat has moved (at most every 5 seconds). It carries no number. To extended subscriptions of `gps:<device id>`, and to those with `since`, whose caller holds `alerts:read`, or manages the device by a share */
        SocketAnchorUpdate: {
            /**
             * @description Kind
             * @constant
             */
            type: "anchorUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["AnchorWatch"] | components["schemas"]["GoneRecord"];
        };
        /** @description A device was created, changed or deleted. To `devices` */
        SocketDeviceUpdate: {
            /**
             * @description Kind
             * @constant
             */
            type: "deviceUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["Device"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description The user's address was changed */
        SocketEmailChangeVerified: {
            /**
             * @description Kind
             * @constant
             */
            type: "emailChangeVerified";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * Format: email
             * @description The new address
             * @example skipper@example.org
             */
            email: string;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description An address to sign in with was linked */
        SocketEmailLinkVerified: {
            /**
             * @description Kind
             * @constant
             */
            type: "emailLinkVerified";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * Format: email
             * @description The address
             * @example skipper@example.org
             */
            email: string;
            /**
             * Format: uuid
             * @description The platform account that it became
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            platformAccountId: string;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description A message could not be carried out, or a subscription is no longer allowed. The connection stays open */
        SocketError: {
            /**
             * @description Kind
             * @constant
             */
            type: "error";
            /**
             * @description What is wrong
             * @example Access denied to channel: gps
             */
            message: string;
        };
        /** @description Sessions of the user were ended. The client should close the socket and sign out, unless its own session goes on */
        SocketForceLogout: {
            /**
             * @description Kind
             * @constant
             */
            type: "forceLogout";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description Why, in words
             * @example Signed out everywhere
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description Positions that came late, or were marked or deleted, have changed crossings of the past. To extended subscriptions of `geofence` */
        SocketGeofenceCorrection: {
            /**
             * @description Kind
             * @constant
             */
            type: "geofenceCorrection";
            data: components["schemas"]["ZoneCorrection"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description A device entered or left a zone. To `geofence` and `geofence:<geofence id>` */
        SocketGeofenceEvent: {
            /**
             * @description Kind
             * @constant
             */
            type: "geofenceEvent";
            data: components["schemas"]["GeofenceCrossing"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description Positions came that are older than the device's newest, all of one commit together: a request that takes long has several. To extended subscriptions of `gps` and `gps:<device id>` */
        SocketGpsLate: {
            /**
             * @description Kind
             * @constant
             */
            type: "gpsLate";
            data: components["schemas"]["LateSpan"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description A position was stored. To `gps`, and to `gps:<device id>` when a device posted it; by a link, to `gps` once it is shown */
        SocketGpsUpdate: {
            /**
             * @description Kind
             * @constant
             */
            type: "gpsUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["HeardPosition"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description A subscription was made or ended */
        SocketNotice: {
            /**
             * @description Kind
             * @constant
             */
            type: "message";
            /**
             * @description Name of the channel
             * @example gps
             */
            channel: string;
            /**
             * @description What was done
             * @example Subscribed to gps
             */
            data: string;
            /**
             * @description With `since`: the cursor at which the subscription begins
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description The user no longer lets an application sign in for them */
        SocketOAuthConsentRevoked: {
            /**
             * @description Kind
             * @constant
             */
            type: "oauthConsentRevoked";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description The OAuth client; empty when the service named none
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            clientId: string;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description The permissions of the user changed */
        SocketPermissionsUpdated: {
            /**
             * @description Kind
             * @constant
             */
            type: "permissionsUpdated";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description All permissions and wildcards that the user holds now
             * @example [
             *       "gps:read",
             *       "trips:read"
             *     ]
             */
            permissions: string[];
        };
        /** @description Asks for a `pong` */
        SocketPing: {
            /**
             * @description Kind
             * @constant
             */
            type: "ping";
        };
        /** @description The answer to `ping` */
        SocketPong: {
            /**
             * @description Kind
             * @constant
             */
            type: "pong";
        };
        /** @description The messages after the cursor of a subscription are gone: read the state anew. Those after this cursor follow */
        SocketReset: {
            /**
             * @description Kind
             * @constant
             */
            type: "reset";
            /**
             * @description Name of the channel
             * @example gps
             */
            channel: string;
            /**
             * @description The cursor to go on from
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor: string;
            /**
             * @description `expired`: they are not kept any more; `epoch`: a backup was restored
             * @example expired
             * @enum {string}
             */
            reason: "expired" | "epoch";
        };
        /** @description The permissions of a role that the user holds changed: read them again */
        SocketRolePermissionsChanged: {
            /**
             * @description Kind
             * @constant
             */
            type: "rolePermissionsChanged";
            /**
             * @description The role
             * @example role_user
             */
            roleId: string;
            /**
             * @description Its name
             * @example User
             */
            roleName: string;
        };
        /** @description The roles of the user changed */
        SocketRolesUpdated: {
            /**
             * @description Kind
             * @constant
             */
            type: "rolesUpdated";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * @description Names of the roles, for people
             * @example [
             *       "User"
             *     ]
             */
            roles: string[];
            /**
             * @description Identifiers of the roles, for programs
             * @example [
             *       "role_user"
             *     ]
             */
            roleIds: string[];
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description One session of the user was ended. The client whose session it is should close the socket and sign out */
        SocketSessionRevoked: {
            /**
             * @description Kind
             * @constant
             */
            type: "sessionRevoked";
            /**
             * Format: uuid
             * @description The user whom it concerns
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            userId: string;
            /**
             * Format: uuid
             * @description The session
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            sessionId: string;
            /**
             * @description Why, in words
             * @example Signed out everywhere
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
        };
        /** @description Asks for the messages of a channel. Answered by `message`, or by `error` where the channel is not allowed. Subscribing again changes format and `extended` */
        SocketSubscribe: {
            /**
             * @description Kind
             * @constant
             */
            type: "subscribe";
            /**
             * @description Name of the channel
             * @example gps
             */
            channel: string;
            /**
             * @description A cursor, or `now`: the messages after it follow in order, then those to come, each with its `cursor`; none is left out, and none comes twice. For `gps`, `geofence`, `trips`, `devices`, `alerts` and those of one device or zone
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            since?: string;
            /**
             * @description True for messages too that came after the first version, such as `gpsLate`; false if left out
             * @example true
             */
            extended?: boolean;
        };
        /** @description A trip was created, changed or deleted. To `trips` */
        SocketTripUpdate: {
            /**
             * @description Kind
             * @constant
             */
            type: "tripUpdate";
            /** @description The record as it is now */
            data: components["schemas"]["Trip"] | components["schemas"]["GoneRecord"];
            /**
             * @description To subscriptions with `since`: whoever has it knows of this change and of all before
             * @example 5f1c9a02b3d4e5f6-1204311
             */
            cursor?: string;
        };
        /** @description Leaves a channel. Answered by `message` */
        SocketUnsubscribe: {
            /**
             * @description Kind
             * @constant
             */
            type: "unsubscribe";
            /**
             * @description Name of the channel
             * @example gps
             */
            channel: string;
        };
        /** @description The vessels near the newest position. To `vessels`: soon after subscribing, then at most every `vessels.broadcast_seconds` */
        SocketVesselsUpdate: {
            /**
             * @description Kind
             * @constant
             */
            type: "vesselsUpdate";
            /** @description The vessels */
            data: {
                /** @description All that are near, not only those that moved */
                vessels: components["schemas"]["Vessel"][];
            };
        };
        /** @description A position that was just stored */
        ToldPosition: {
            /**
             * Format: uuid
             * @description Identifier
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string;
            /**
             * Format: uuid
             * @description The device that reported it; null when no device did
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string | null;
            /**
             * Format: uuid
             * @description The trip that it belongs to, if any
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            trip_id: string | null;
            /**
             * @description Degrees, WGS 84
             * @example 54.0967
             */
            latitude: number;
            /**
             * @description Degrees, WGS 84
             * @example 13.4553
             */
            longitude: number;
            /**
             * @description Metres
             * @example 3.2
             */
            altitude: number | null;
            /**
             * @description Course over ground, degrees true
             * @example 212.4
             */
            heading: number | null;
            /**
             * Format: date-time
             * @description When the receiver fixed the position
             * @example 2026-05-04T09:30:00.000Z
             */
            timestamp: string;
            /**
             * @description Speed over ground in km/h; null when the source told none
             * @example 13.7
             */
            speed_kmh: number | null;
            /**
             * @description Speed over ground in m/s; null when the source told none
             * @example 3.81
             */
            speed_mps: number | null;
            /**
             * @description Speed over ground in mph; null when the source told none
             * @example 8.51
             */
            speed_mph: number | null;
            /**
             * @description Speed over ground in knots; null when the source told none
             * @example 7.4
             */
            speed_knots: number | null;
            /**
             * @description Position dilution of precision
             * @example 1.6
             */
            pdop: number | null;
            /**
             * @description Horizontal dilution of precision
             * @example 0.9
             */
            hdop: number | null;
            /**
             * @description Vertical dilution of precision
             * @example 1.3
             */
            vdop: number | null;
            /**
             * Format: date-time
             * @description When the server stored it
             * @example 2026-05-04T09:30:00.000Z
             */
            created_at: string;
        };
        /** @description A voyage with a status lifecycle */
        Trip: {
            /**
             * Format: uuid
             * @description Identifier
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            id: string;
            /**
             * @description Name
             * @example Lauterbach to Greifswald
             */
            name: string;
            /**
             * @description What the trip is
             * @example Transfer across the Bodden
             */
            description: string | null;
            /**
             * @description Status of the trip
             * @example draft
             * @enum {string}
             */
            status: "draft" | "active" | "paused" | "completed";
            /**
             * @description Whether the device's positions join this trip while it is active. Without a `device_id` no position ever joins it
             * @example true
             */
            gps_logging_enabled: boolean;
            /**
             * Format: uuid
             * @description The device that tracks it; positions join a trip by its device alone
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string | null;
            /**
             * Format: uuid
             * @description Its category
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            category_id: string | null;
            /**
             * Format: uuid
             * @description The location where it begins
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            origin_id: string | null;
            /**
             * Format: uuid
             * @description The location where it ends
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            destination_id: string | null;
            /**
             * @description Weight of the cargo in kg
             * @example 1250
             */
            weight_kg: number | null;
            /**
             * @description Notes
             * @example Call the harbour master before arrival
             */
            notes: string | null;
            /**
             * @description Tags
             * @example [
             *       "ferry",
             *       "summer"
             *     ]
             */
            tags: string[];
            /**
             * @description Latitude of the start: as it was set, else of the trip's first position
             * @example 54.3412
             */
            start_latitude: number | null;
            /**
             * @description Longitude of the start, likewise
             * @example 13.5066
             */
            start_longitude: number | null;
            /**
             * @description Latitude of the end: as it was set, else of the trip's last position so far
             * @example 54.0967
             */
            end_latitude: number | null;
            /**
             * @description Longitude of the end, likewise
             * @example 13.4553
             */
            end_longitude: number | null;
            /**
             * @description Length of the way along the trip's positions so far, in km
             * @example 31.8
             */
            distance_km: number;
            /**
             * Format: date-time
             * @description When it was first activated
             * @example 2026-05-04T09:30:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it was completed
             * @example 2026-05-04T09:30:00.000Z
             */
            ended_at: string | null;
            /**
             * Format: int64
             * @description Minutes between two positions that go into its log by themselves while it is active and logs; 0 for none
             * @example 60
             */
            log_interval_minutes: number;
            /**
             * Format: uuid
             * @description The box that it belongs to, where alone it, its positions and its log can be changed; null for one of this server
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            box_id: string | null;
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-05-04T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-05-04T09:30:00.000Z
             */
            updated_at: string;
        };
        /** @description A vessel that was heard by AIS */
        Vessel: {
            /**
             * Format: int64
             * @description Maritime Mobile Service Identity
             * @example 211331640
             */
            mmsi: number;
            /**
             * @description Name; empty when it is not known
             * @example VILM
             */
            name: string;
            /**
             * Format: int64
             * @description Code of the type, ITU-R M.1371
             * @example 60
             */
            ship_type: number | null;
            /**
             * @description The type in words
             * @example Passenger
             */
            ship_type_label: string;
            /**
             * Format: int64
             * @description Code of the navigational status, ITU-R M.1371
             * @example 0
             */
            nav_status: number | null;
            /**
             * @description The status in words
             * @example Under way using engine
             */
            nav_status_label: string;
            /**
             * @description Metres
             * @example 35
             */
            length: number | null;
            /**
             * @description Metres
             * @example 8
             */
            beam: number | null;
            /**
             * @description Degrees, true
             * @example 212
             */
            heading: number | null;
            /**
             * @description Degrees, WGS 84
             * @example 54.1012
             */
            lat: number;
            /**
             * @description Degrees, WGS 84
             * @example 13.4711
             */
            lng: number;
            /**
             * @description Course over ground in degrees
             * @example 211.4
             */
            course: number | null;
            /**
             * @description Speed over ground in km/h; 0 when it is not known
             * @example 14.3
             */
            speed_kmh: number;
        };
        /** @description What a list of crossings has to load anew */
        ZoneCorrection: {
            /**
             * Format: uuid
             * @description The device
             * @example 0192f3a1-5c00-7d1e-9a55-3f1f6c1f0a01
             */
            device_id: string;
            /** @description The zones whose crossings have changed */
            geofence_ids: string[];
            /**
             * Format: date-time
             * @description Time of the first crossing that came or went
             * @example 2026-05-04T09:30:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Time of the last one
             * @example 2026-05-04T09:30:00.000Z
             */
            to: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
