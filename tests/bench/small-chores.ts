import type { SmallServer } from "./small-server";

/** The heaviest work of an installation, piece by piece. Each fails where an answer is not the one that is due. */

export interface Chore {
  name: string;
  work: () => Promise<void>;
}

/** Positions of an imported file, and the time of the first one, long before all others (Unix seconds). */
const IMPORTED = 100_000;
const IMPORTED_FROM = 1_300_000_000;
const WHOLE = "from=2000-01-01&to=2100-01-01&gap_seconds=86400";
const DAY = 86_400_000;
/** Most pieces of work of a kind at once. */
const TOGETHER = 4;

export function choresOf({ address, fixture }: SmallServer): Chore[] {
  const { deviceId, tripId, session, crew } = fixture;
  const authorization = `Bearer ${session}`;
  const drain = async (answer: Response, path: string) => {
    let bytes = 0;
    for await (const chunk of answer.body ?? []) bytes += chunk.byteLength;
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return bytes;
  };
  const get = async (path: string): Promise<number> =>
    drain(await fetch(address + path, { headers: { authorization } }), path);
  const post = async (path: string, body: string, type = "application/json", headers: object = {}) =>
    drain(
      await fetch(address + path, { method: "POST", headers: { "content-type": type, ...headers }, body }),
      path,
    );
  const several = async (times: number, work: (at: number) => Promise<unknown>) => {
    await Promise.all(Array.from({ length: times }, (_, at) => work(at)));
  };
  const track = `/v1/devices/${deviceId}/track`;
  const day = async () => {
    const answer = await fetch(`${address}/v1/gps?device_id=${deviceId}&limit=1`, {
      headers: { authorization },
    });
    const { data } = (await answer.json()) as { data: { timestamp: string }[] };
    const to = Date.parse(data[0]?.timestamp ?? "");
    await get(`${track}?from=${new Date(to - DAY).toISOString()}&to=${new Date(to).toISOString()}`);
  };
  const file = (at: number) => {
    const from = IMPORTED_FROM + at * IMPORTED;
    const rows = Array.from({ length: IMPORTED }, (_, n) => `${from + n},${54 + (n % 9_000) / 10_000},13.4`);
    return `timestamp,latitude,longitude\n${rows.join("\n")}\n`;
  };
  return [
    { name: "the track of a day", work: day },
    {
      name: "the track of all positions",
      work: async () => {
        await get(`${track}?${WHOLE}`);
      },
    },
    {
      name: `${TOGETHER} such tracks at once`,
      work: () => several(TOGETHER, (at) => get(`${track}?${WHOLE}&max_points=${5_001 + at}`)),
    },
    {
      name: "all positions as GPX",
      work: async () => {
        await get(`${track}?${WHOLE}&format=gpx`);
      },
    },
    {
      name: "the log of a trip as PDF",
      work: async () => {
        await get(`/v1/trips/${tripId}/log?format=pdf`);
      },
    },
    {
      name: `${TOGETHER} such documents at once`,
      work: () => several(TOGETHER, () => get(`/v1/trips/${tripId}/log?format=pdf`)),
    },
    {
      name: "the export of personal data",
      work: async () => {
        await get("/v1/user/export");
      },
    },
    {
      name: "32 pages of 100 positions at once, 20 times",
      work: async () => {
        for (let round = 0; round < 20; round++)
          await several(32, (at) => get(`/v1/gps?limit=100&page=${1 + (((round * 32 + at) * 97) % 9_000)}`));
      },
    },
    {
      name: "32 GraphQL lists at once",
      work: () =>
        several(32, () =>
          post(
            "/v1/graphql",
            JSON.stringify({ query: "{ roles { id name requiresTwoFactor } platforms { id slug name } }" }),
            "application/json",
            { authorization },
          ),
        ),
    },
    {
      name: "32 sign-ins at once",
      work: () => several(32, (at) => post("/v1/auth/login", JSON.stringify(crew[at % crew.length]))),
    },
    {
      name: `an import of ${IMPORTED.toLocaleString("en")} positions as CSV`,
      work: async () => {
        await post(`/v1/devices/${deviceId}/import`, file(0), "text/csv", { authorization });
      },
    },
    {
      name: "the OpenAPI document and Swagger UI",
      work: async () => {
        await get("/v1/openapi.json");
        await get("/docs");
      },
    },
    {
      name: "the doctor",
      work: async () => {
        await get("/v1/admin/doctor");
      },
    },
    {
      name: "the audit log, verified",
      work: async () => {
        await get("/v1/admin/audit/verify");
      },
    },
  ];
}
