/**
 * A foreign process that has a database open and has changed it: `bun holder.ts FILE`, until it is killed.
 */
import { Database } from "bun:sqlite";

const database = new Database(process.argv[2]);
database.run("PRAGMA journal_mode = WAL");
database.run("UPDATE gps_points SET latitude = 12.5");
process.stdout.write("changed\n");
setInterval(() => database.query("SELECT 1").get(), 60_000);
