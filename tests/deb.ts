import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDeb } from "../.ci/deb";
import { freePort } from "./support/program";
import { temporaryDirectory } from "./support/server";

/**
 * `bun run test:deb`: the package of `bun run build -- --deb`, installed, upgraded, removed and purged by dpkg in a copy of this
 * machine's root that lies over it in memory and is gone afterwards. systemd doesn't run there: a stand-in for systemctl starts
 * what the unit says, as the user whom it names, and leaves what needs no manager to the real one. Needs root, dpkg and overlayfs; says so where they are missing.
 */

const dist = join(import.meta.dir, "../dist");
const architecture = process.arch === "arm64" ? "arm64" : "amd64";
const executable = join(dist, "fairlead");
const port = freePort();
const PID = "/run/fairlead.pid";

/** The verbs that maintainer scripts call. */
const SYSTEMCTL = `#!/bin/sh
unit=/usr/lib/systemd/system/fairlead.service
value() { sed -n "s/^$1=//p" $unit; }
# Nobody waits for the dead here: a zombie has a number, but no program.
alive() { [ -e ${PID} ] && [ -e "/proc/$(cat ${PID})/exe" ]; }
stop() { if alive; then kill "$(cat ${PID})"; while alive; do sleep 0.05; done; fi; rm -f ${PID}; }
start() {
  alive && return
  setpriv --reuid="$(value User)" --regid="$(value User)" --clear-groups env -i PATH="$PATH" $(value Environment) \\
    sh -c 'echo $$ > /tmp/fairlead.pid; exec "$@"' sh $(value ExecStart) >> /var/log/fairlead 2>&1 &
  while [ ! -s /tmp/fairlead.pid ]; do sleep 0.05; done
  mv /tmp/fairlead.pid ${PID}
}
for word; do
  case "$word" in
    is-enabled|preset) SYSTEMD_OFFLINE=1 exec systemctl.real "$@" ;;
    is-active) alive; exit ;;
    start) start ;;
    stop) stop ;;
    restart) stop; start ;;
  esac
done
`;

/** Mounts the root, and keeps its namespaces until it is killed; whatever runs in them goes with it. */
const SETUP = `set -e
mount -t tmpfs -o mode=755 root "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay root -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs run run
mount -t tmpfs -o mode=1777 tmp tmp
mkdir -p run/systemd/system run/lock var/log
printf '%s' "$SYSTEMCTL" > usr/bin/systemctl.new
chmod 755 usr/bin/systemctl.new
mv usr/bin/systemctl usr/bin/systemctl.real
mv usr/bin/systemctl.new usr/bin/systemctl
rm -f usr/sbin/policy-rc.d var/lib/dpkg/lock*
mkdir packages
mount --bind "$2" packages
echo ready
exec sleep infinity
`;

const scratch = temporaryDirectory();
const packages = join(scratch, "packages");
let holder: ReturnType<typeof hold>;
let inside: string;

const hold = (mountpoint: string) =>
  Bun.spawn(
    [
      ...["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"],
      ...["sh", "-c", SETUP, "sh", mountpoint, packages],
    ],
    { env: { ...process.env, SYSTEMCTL }, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );

/** Runs a line of shell as root in that root. */
function run(line: string): { status: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [
      ...["nsenter", "--target", inside, "--mount", "--pid", "chroot", join(scratch, "mount/root")],
      ...["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      ...["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "sh", "-c", `cd / && ${line}`],
    ],
    { stdin: "ignore" },
  );
  return { status: exitCode, output: stdout.toString() + stderr.toString() };
}

function done(line: string): string {
  const { status, output } = run(line);
  if (status !== 0) throw new Error(`${line}: exit status ${status}\n${output}`);
  return output.trim();
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg fills these in
const version = () => done("dpkg-query --show --showformat '${Version} ${db:Status-Status}' fairlead");
const isAnswering = `curl --silent --fail --retry 100 --retry-delay 0 --retry-connrefused --retry-max-time 8 http://127.0.0.1:${port}/health/ready`;

const missing = [
  ...["dpkg", "dpkg-deb", "unshare", "nsenter", "setpriv", "curl", "adduser", "deb-systemd-helper"].filter(
    (name) => !Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }),
  ),
  ...(process.getuid?.() === 0 ? [] : ["the rights of root"]),
];
if (missing.length > 0) throw new Error(`the package can't be installed here: ${missing.join(", ")} missing`);
if (!existsSync(executable)) throw new Error(`${executable} is missing: bun run build -- --deb`);

beforeAll(async () => {
  mkdirSync(packages);
  mkdirSync(join(scratch, "mount"));
  const bytes = new Uint8Array(readFileSync(executable));
  for (const made of ["0.9.0", "0.9.1"])
    writeFileSync(join(packages, `${made}.deb`), makeDeb(bytes, architecture, 1_700_000_000, made));
  holder = hold(join(scratch, "mount"));
  const { value } = await holder.stdout.getReader().read();
  if (value === undefined)
    throw new Error(`no root can be made: ${await new Response(holder.stderr).text()}`);
  const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
  inside = children.trim();
});

afterAll(async () => {
  holder?.kill("SIGKILL");
  await holder?.exited;
});

test("is installed: a user, a configuration that only they read, and a service that answers", () => {
  // Before the first start, so that it takes a port that is free: dpkg keeps the file that is there.
  done("mkdir -p /etc/fairlead");
  done(
    `printf '[data]\\ndir = "/var/lib/fairlead"\\n[server]\\nport = ${port}\\n' > /etc/fairlead/fairlead.toml`,
  );
  done("dpkg --force-confold --install /packages/0.9.0.deb");
  expect(version()).toBe("0.9.0 installed");
  expect(done("stat -c '%U:%G %a' /etc/fairlead/fairlead.toml /var/lib/fairlead")).toBe(
    "root:fairlead 640\nfairlead:fairlead 700",
  );
  expect(done("getent passwd fairlead")).toMatch(/:\/var\/lib\/fairlead:\/usr\/sbin\/nologin$/);
  expect(done(isAnswering)).toContain('"status":"ready"');
  expect(done(`stat -c %U /proc/$(cat ${PID})`)).toBe("fairlead");
  expect(done("dpkg --verify fairlead")).toBe(`??5?????? c /etc/fairlead/fairlead.toml`);
});

test("has a command that reads the configuration of the service", () => {
  expect(done("fairlead config")).toMatch(/^data\.dir +\/var\/lib\/fairlead +\[file\]$/m);
  done(
    "printf 'correct horse battery' | fairlead user create --username skipper --email skipper@example.org --password-stdin",
  );
  const refused = run("setpriv --reuid=nobody --regid=nogroup --clear-groups fairlead config");
  expect(refused).toMatchObject({ status: 2, output: expect.stringContaining("permission denied") });
  expect(done("FAIRLEAD_CONFIG= fairlead config")).toMatch(/^data\.dir +\/data +\[default\]$/m);
});

test("is upgraded: data and configuration stay, and the service runs anew", () => {
  const before = done(`cat ${PID}`);
  done("dpkg --install /packages/0.9.1.deb");
  expect(version()).toBe("0.9.1 installed");
  expect(done(isAnswering)).toContain('"status":"ready"');
  expect(done(`cat ${PID}`)).not.toBe(before);
  expect(done("cat /etc/fairlead/fairlead.toml")).toContain(`port = ${port}`);
  expect(run("fairlead user create --username skipper --email skipper@example.org").output).toMatch(
    /already/,
  );
});

test("stays off where the administrator switched the service off", () => {
  done("rm /etc/systemd/system/multi-user.target.wants/fairlead.service && systemctl stop fairlead");
  done("dpkg --install /packages/0.9.0.deb && dpkg --install /packages/0.9.1.deb");
  expect(run("systemctl is-active fairlead").status).toBe(1);
  done("mkdir -p /etc/systemd/system/multi-user.target.wants");
  done(
    "ln -s /usr/lib/systemd/system/fairlead.service /etc/systemd/system/multi-user.target.wants/ && systemctl start fairlead",
  );
});

test("is removed: the service ends, and data and configuration stay", () => {
  done("dpkg --remove fairlead");
  expect(version()).toBe("0.9.1 config-files");
  expect(run("systemctl is-active fairlead").status).toBe(1);
  expect(run("test -e /usr/bin/fairlead").status).toBe(1);
  done("test -s /var/lib/fairlead/fairlead.db && test -s /etc/fairlead/fairlead.toml");
});

test("comes back with what was there", () => {
  done("dpkg --install /packages/0.9.1.deb");
  expect(done(isAnswering)).toContain('"status":"ready"');
  expect(run("fairlead user create --username skipper --email skipper@example.org").output).toMatch(
    /already/,
  );
});

test("is purged: nothing of it is left but the user", () => {
  done("dpkg --purge fairlead");
  expect(run("dpkg-query --show fairlead").status).toBe(1);
  for (const path of ["/var/lib/fairlead", "/etc/fairlead", "/usr/lib/fairlead"])
    expect(run(`test -e ${path}`).status).toBe(1);
  expect(run("find /etc/systemd /var/lib/systemd -name '*fairlead*'").output.trim()).toBe("");
  done("getent passwd fairlead");
});
