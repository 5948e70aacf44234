import type { Steps } from "./instructions";

export const english: Steps = {
  shownOnce: "The token is shown only now; if it gets lost, make another tracker and delete this one.",
  inClear:
    "Warning: the address begins with http and leads through the internet, where others can read the token and the positions. Use https.",
  owntracks: ({ url, username, token, encryptionKey, sendsZones }) => [
    "In OwnTracks allow the configuration by links first: on Android under Preferences, Advanced; on iOS in its settings.",
    "Open the link on the phone, or scan the QR code with its camera.",
    `Or enter it by hand: mode HTTP, URL ${url}, authentication on, user name ${username}, password ${token}.`,
    ...(encryptionKey === null ? [] : [`Enter ${encryptionKey} as the encryption key.`]),
    "Choose the mode Move while under way: the others report every few hundred metres.",
    ...(sendsZones
      ? ["The zones come with the answers: leave remote commands allowed, and allow them on iOS."]
      : []),
    "To replace the token later, change the password alone: with another address the app drops what it has not sent yet.",
  ],
  traccar_client: ({ url }) => [
    "Open the link on the phone, or scan the QR code.",
    `Or enter ${url} as the server's address in Traccar Client; the device identifier may be anything.`,
    "Leave the offline buffer on, and choose the highest accuracy for a vessel.",
    "Switch the tracking on.",
  ],
  osmand: ({ url }) => [
    "In OsmAnd switch on the plugin Trip recording.",
    `In its settings, under Online tracking, enter ${url} as the web address.`,
    "Choose the longest time buffer: OsmAnd drops positions that are older, and those in memory when it ends.",
    "Start the trip recording with online tracking.",
  ],
  overland: ({ url, token }) => [
    "Open the link on the phone, or scan the QR code with its camera.",
    `Or enter ${url} as the receiver endpoint and ${token} as the access token in Overland's settings.`,
    'Choose the logging mode "All Data"; "Only Latest" and "OwnTracks" lose positions.',
  ],
  gpslogger: ({ base, url, username, token }) => [
    `With GPSLogger 136 or newer, choose Auto send, Dawarich: address ${base}/v1/ingest/dawarich, API key ${token}. It keeps what it could not send.`,
    `With an older one, choose Log to custom URL: URL ${url}, method POST, basic authentication with user name ${username} and password ${token}.`,
    "There, allow the automatic sending of the file: a point that failed four times is lost otherwise. What comes twice does no harm.",
  ],
  traccar_server: ({ url, token }) => [
    "Add these lines to traccar.xml, and restart Traccar:",
    "<entry key='forward.type'>json</entry>",
    `<entry key='forward.url'>${url}</entry>`,
    `<entry key='forward.header'>Authorization: Bearer ${token}</entry>`,
    "<entry key='forward.retry.enable'>true</entry>",
    "<entry key='forward.retry.count'>15</entry>",
    "<entry key='forward.retry.limit'>10000</entry>",
    "Give each device here its identifier in Traccar (uniqueId) as external_id; others are counted and left alone.",
  ],
  generic: ({ url, token }) => [
    `Send POST requests to ${url} with the header Authorization: Bearer ${token}.`,
    'The body is {"latitude": 54.0967, "longitude": 13.4553, "timestamp": 1777887000}, an array of such, or GeoJSON points with a timestamp; the time in Unix seconds or ISO 8601.',
    "Keep what was not answered with 200, and send it again: what comes twice is stored once.",
  ],
};
