import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

/**
 * A package for Debian (deb(5)): an archive of `ar` with two archives of `tar`, one that dpkg reads and one of the files. Written
 * here, so that any machine makes the same bytes of the same commit, whether it has dpkg or not.
 */

const deploy = join(import.meta.dir, "../deploy");
const read = (name: string): string => readFileSync(join(deploy, name), "utf8");

interface Entry {
  /** Path below the root, without a slash before it; a folder's ends with one. */
  path: string;
  mode: number;
  content: Uint8Array;
}

const NOTHING = new Uint8Array();
const folder = (path: string): Entry => ({ path, mode: 0o755, content: NOTHING });
const file = (path: string, content: string | Uint8Array, mode = 0o644): Entry => ({
  ...{ path, mode },
  content: typeof content === "string" ? new TextEncoder().encode(content) : content,
});

/** The folders above the entries, outermost first, as dpkg wants them before what is in them. */
function withFolders(entries: Entry[]): Entry[] {
  const folders = new Set(
    entries.flatMap(({ path }) => {
      const names = path.split("/").slice(0, -1);
      return names.map((_, at) => `${names.slice(0, at + 1).join("/")}/`);
    }),
  );
  return [...[...folders].sort().map(folder), ...entries];
}

const BLOCK = 512;

/** The header of an entry: ustar (POSIX 1003.1-1988), whose paths have at most 100 bytes. Everything belongs to root. */
function header({ path, mode, content }: Entry, seconds: number): Uint8Array {
  const name = `./${path}`;
  if (name.length > 100) throw new Error(`the path ${name} is too long for a package`);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(mode, 8) + octal(0, 8) + octal(0, 8) + octal(content.length, 12), 100);
  block.write(octal(seconds, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(name.endsWith("/") ? "5" : "0", 156);
  block.write("ustar\u000000root", 257);
  block.write("root", 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function tar(entries: Entry[], seconds: number): Uint8Array<ArrayBuffer> {
  const blocks = entries.flatMap((entry) => [
    header(entry, seconds),
    entry.content,
    Buffer.alloc(-entry.content.length & (BLOCK - 1)),
  ]);
  // Ends with two empty blocks, at a whole record of twenty.
  const length = blocks.reduce((total, { length }) => total + length, 2 * BLOCK);
  const record = 20 * BLOCK;
  const whole = Math.ceil(length / record) * record;
  return new Uint8Array(Buffer.concat([...blocks, Buffer.alloc(whole - length + 2 * BLOCK)]));
}

/** One member of an archive of `ar`: sixty bytes of header, and a line feed after content of odd length. */
const member = (name: string, content: Uint8Array, seconds: number): Uint8Array[] => [
  Buffer.from(
    `${name.padEnd(16)}${String(seconds).padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
  ),
  content,
  Buffer.from("\n".slice(0, content.length % 2)),
];

/** Replaces a text that must be there, once. */
function replaced(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`the unit should have ${from} once`);
  return text.replace(from, () => to);
}

/** The unit, for the package: its command, its configuration, and a user who stays the same from boot to boot. */
function unit(): string {
  const lines: [string, string][] = [
    ["/usr/local/bin/fairlead", "/usr/bin/fairlead"],
    [
      "Environment=FAIRLEAD_DATA_DIR=/var/lib/fairlead FAIRLEAD_SERVER_HOST=0.0.0.0",
      "Environment=FAIRLEAD_CONFIG=/etc/fairlead/fairlead.toml",
    ],
    ["DynamicUser=yes", "User=fairlead"],
  ];
  const text = lines.reduce((before, [from, to]) => replaced(before, from, to), read("fairlead.service"));
  return text.slice(text.indexOf("[Unit]"));
}

/** A version as Debian compares them: 1.0.0-beta.1 comes before 1.0.0, which a tilde says. */
const debianVersion = (version: string): string => version.replace("-", "~");

const copyright = (
  licence: string,
): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Fairlead

Files: *
Copyright: ${/^Copyright \(c\) (.+)$/m.exec(licence)?.[1] ?? "The Fairlead authors"}
License: Expat
${licence
  .trim()
  .split("\n")
  .map((line) => ` ${line.trim() || "."}`)
  .join("\n")}
`;

/** The name of the package's file, by the convention PACKAGE_VERSION_ARCHITECTURE.deb. */
export const debName = (architecture: string): string =>
  `fairlead_${debianVersion(manifest.version)}_${architecture}.deb`;

/**
 * Makes the package of an executable.
 *
 * @param architecture Debian's name: amd64 or arm64
 * @param seconds the time that all files get, since 1970
 */
export function makeDeb(
  executable: Uint8Array,
  architecture: string,
  seconds: number,
  version: string = manifest.version,
): Uint8Array<ArrayBuffer> {
  const root = join(deploy, "..");
  const doc = "usr/share/doc/fairlead";
  const changelog = Bun.gzipSync(readFileSync(join(root, "CHANGELOG.md")), { level: 9 });
  const files = [
    file("etc/fairlead/fairlead.toml", read("debian/fairlead.toml"), 0o640),
    file("usr/bin/fairlead", read("debian/fairlead.sh"), 0o755),
    file("usr/lib/fairlead/fairlead", executable, 0o755),
    file("usr/lib/systemd/system/fairlead.service", unit()),
    file(`${doc}/README.Debian`, read("debian/README.Debian")),
    file(`${doc}/changelog.gz`, changelog),
    file(`${doc}/verify-audit.mjs`, readFileSync(join(root, "docs/verify-audit.mjs"))),
    file(`${doc}/copyright`, copyright(readFileSync(join(root, "LICENSE"), "utf8"))),
  ];
  const kibibytes = files.reduce((total, { content }) => total + Math.ceil(content.length / 1_024), 0);
  const values: Record<string, string> = {
    VERSION: debianVersion(version),
    ARCHITECTURE: architecture,
    INSTALLED_SIZE: String(kibibytes),
  };
  const sums = files.map(({ path, content }) => `${Bun.MD5.hash(content, "hex")}  ${path}\n`);
  const control = [
    file("conffiles", read("debian/conffiles")),
    file(
      "control",
      read("debian/control").replaceAll(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? ""),
    ),
    file("md5sums", sums.join("")),
    ...["postinst", "prerm", "postrm"].map((name) => file(name, read(`debian/${name}`), 0o755)),
  ];
  const packed = (entries: Entry[], level: 6 | 9) => Bun.gzipSync(tar(entries, seconds), { level });
  return new Uint8Array(
    Buffer.concat([
      Buffer.from("!<arch>\n"),
      ...member("debian-binary", Buffer.from("2.0\n"), seconds),
      ...member("control.tar.gz", packed([folder(""), ...control], 9), seconds),
      ...member("data.tar.gz", packed([folder(""), ...withFolders(files)], 6), seconds),
    ]),
  );
}
