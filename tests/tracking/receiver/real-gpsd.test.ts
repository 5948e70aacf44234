import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { AisReceiver } from "../../stand-ins/ais-receiver";
import { eventually } from "../../support/expectations";
import { freePort } from "../../support/program";
import { TestServer } from "../../support/server";
import { healthOf, nmea, rmc, stored } from "./support";

/** A real gpsd between the receiver and the server, where one is installed (Debian's package gpsd). */

const GPSD = ["/usr/sbin/gpsd", "/usr/bin/gpsd", "/usr/local/sbin/gpsd"].find((path) => existsSync(path));

test.skipIf(GPSD === undefined)("the fixes of a receiver come through a real gpsd", async () => {
  const receiver = await AisReceiver.start();
  const port = freePort();
  const source = receiver.url;
  const gpsd = Bun.spawn([GPSD as string, "-N", "-n", "-S", String(port), source], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  await receiver.connected();
  const server = await TestServer.start({
    settings: { "position.source": "gpsd", "position.url": `tcp://127.0.0.1:${port}` },
  });
  // gpsd takes a wrong date for a count of weeks that rolled over, so that the receiver tells today's.
  const start = Math.floor(Date.now() / 1_000);
  const place = { latitude: 54.0967, longitude: 13.4553 };
  let sent = 0;
  const timer = setInterval(() => {
    const fix = { ...place, time: start + sent++, knots: 7.4, course: 212.4 };
    const time = rmc(fix).split(",")[1];
    receiver.send(
      rmc(fix),
      nmea(`GPGGA,${time},5405.802,N,01327.318,E,1,09,0.9,3.2,M,39.5,M,,`),
      nmea("GPGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.9,1.2"),
      // gpsd tells the dilutions along with the satellites.
      nmea("GPGSV,1,1,04,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45"),
    );
  }, 100);
  try {
    const points = await stored(server, 3);
    expect(points[1]).toMatchObject({ source: "gpsd", heading: 212.4, hdop: 0.9, pdop: 1.5, vdop: 1.2 });
    expect(points[1].latitude).toBeCloseTo(place.latitude, 5);
    expect(points[1].longitude).toBeCloseTo(place.longitude, 5);
    expect(points[1].speed_knots).toBeCloseTo(7.4, 2);
    expect(points[1].altitude).toBeCloseTo(3.2, 1);
    const times = points.map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp) / 1_000);
    expect(times[2] - times[1]).toBe(10);
    await eventually(async () => (await healthOf(server)).status === "up");
  } finally {
    clearInterval(timer);
    await server.stop();
    gpsd.kill();
    await gpsd.exited;
    await receiver.stop();
  }
});
