/**
 * `bun run build`: one executable with the runtime, the program, migrations, fonts and pages inside. It needs no Bun, no
 * Node and no other file where it runs.
 */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { bundlePage } from "../src/bridge/shell/bundle";
import { readCommit } from "../src/configuration/source-commit";
import { WORKERS } from "../src/workers";
import { debName, makeDeb } from "./deb";

/** `baseline` is for processors older than 2013, which lack AVX2. */
const TARGETS = {
  x64: { bun: "bun-linux-x64", argon2: "@node-rs/argon2-linux-x64-gnu", debian: "amd64" },
  "x64-baseline": {
    ...{ bun: "bun-linux-x64-baseline", argon2: "@node-rs/argon2-linux-x64-gnu", debian: "amd64" },
  },
  arm64: { bun: "bun-linux-arm64", argon2: "@node-rs/argon2-linux-arm64-gnu", debian: "arm64" },
} as const;
type Target = keyof typeof TARGETS;

const HELP = `Usage: bun run build [options]

Makes one executable for Linux with everything inside.

  --target NAME   ${Object.keys(TARGETS).join(", ")} (default: this machine's). For another one, Bun's runtime and
                  the password hash for it are fetched from the npm registry
  --outfile FILE  where it goes (default: dist/fairlead, or dist/fairlead-NAME for another target)
  --deb           also makes a package for Debian of it, beside it: fairlead_VERSION_ARCHITECTURE.deb
  --entry FILE    what it runs (default: src/main.ts); the tests' own entry can move the clock
  -h, --help      this text

SOURCE_COMMIT and SOURCE_DATE_EPOCH (seconds) in the environment name the commit and the date that the program tells; without
them git does.
`;

const root = resolve(import.meta.dir, "..");

interface Origin {
  commit: string;
  /** In milliseconds since 1970. */
  builtAt: number;
}

/**
 * The commit and the time that the program tells, and that are the same whenever it is built from one commit. Where git isn't
 * there, as in a container, SOURCE_COMMIT and SOURCE_DATE_EPOCH (seconds) name them, which count before git's anyway; else the
 * commit is empty, and the time is now.
 */
async function origin(): Promise<Origin> {
  const { SOURCE_COMMIT, SOURCE_DATE_EPOCH } = process.env;
  const source = await readCommit(root);
  if (SOURCE_DATE_EPOCH && !/^\d+$/.test(SOURCE_DATE_EPOCH))
    throw new Error("SOURCE_DATE_EPOCH must be a number of seconds");
  return {
    commit: SOURCE_COMMIT || (source?.commit ?? ""),
    builtAt: SOURCE_DATE_EPOCH ? Number(SOURCE_DATE_EPOCH) * 1_000 : (source?.at ?? Date.now()),
  };
}
const own: Target = process.arch === "arm64" ? "arm64" : "x64";

interface Options {
  target: Target;
  outfile: string;
  entry: string;
  deb: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      target: { type: "string", default: own },
      outfile: { type: "string" },
      entry: { type: "string", default: join(root, "src/main.ts") },
      deb: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const target = values.target as Target;
  if (!Object.hasOwn(TARGETS, target)) throw new Error(`there is no target ${target}; see --help`);
  const name = target === own ? "fairlead" : `fairlead-${target}`;
  return {
    target,
    outfile: resolve(values.outfile ?? join(root, "dist", name)),
    entry: resolve(values.entry),
    deb: values.deb,
  };
}

/** Makes a folder whose packages hold the password hash's native part for a target. */
function withArgon2(target: Target, scratch: string): string {
  const name = TARGETS[target].argon2;
  if (TARGETS[own].argon2 === name) return root;
  const version = manifest.dependencies["@node-rs/argon2"];
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, "add", "--cpu", target, "--os", "linux", "--ignore-scripts", `${name}@${version}`],
    { cwd: scratch, stdout: "ignore", stderr: "pipe" },
  );
  if (exitCode !== 0) throw new Error(`${name} can't be fetched: ${stderr}`);
  return scratch;
}

/** The module that has the bundled page inside the executable, in the place of the one that bundles it. */
async function embeddedPage(scratch: string): Promise<string> {
  const { files, entries } = await bundlePage();
  for (const { name, bytes } of files) await Bun.write(join(scratch, "page", name), await bytes());
  const imports = files.map(
    ({ name }, at) =>
      `import f${at} from ${JSON.stringify(join(scratch, "page", name))} with { type: "file" };`,
  );
  const list = files.map(
    ({ name }, at) => `{ name: ${JSON.stringify(name)}, bytes: () => Bun.file(f${at}).bytes() }`,
  );
  return `${imports.join("\n")}
const bundle = { files: [${list.join(", ")}], entries: ${JSON.stringify(entries)} };
export const pageBundle = async () => bundle;`;
}

async function build(
  { target, outfile, entry }: Options,
  { commit, builtAt }: Origin,
  scratch: string,
): Promise<void> {
  await Bun.write(join(scratch, "package.json"), "{}");
  const argon2Home = withArgon2(target, scratch);
  const made = join(scratch, "fairlead");
  const page = await embeddedPage(scratch);
  const { success, logs } = await Bun.build({
    // Each worker is an entry point of its own beside the first: see src/workers.ts.
    entrypoints: [entry, ...Object.values(WORKERS).map((url) => Bun.fileURLToPath(url))],
    root: join(root, "src"),
    compile: {
      target: TARGETS[target].bun,
      outfile: made,
      // Files in the directory where the program is called must not count: a bunfig.toml there could name
      // code to run.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadPackageJson: false,
      autoloadTsconfig: false,
    },
    // Compiled beforehand, it starts in half the time. Not minified: Elysia reads the text of handlers to learn what
    // they need, and misreads shortened ones.
    bytecode: true,
    format: "esm",
    define: {
      "process.env.FAIRLEAD_BUILT_AT": JSON.stringify(String(builtAt)),
      "process.env.FAIRLEAD_BUILT_FROM": JSON.stringify(commit),
    },
    // Code that is loaded on demand stays in chunks of its own: printing a help text does not load the
    // server.
    splitting: true,
    plugins: [
      {
        name: "the page, bundled",
        setup: ({ onLoad }) => {
          onLoad({ filter: /\/bridge\/shell\/bundle\.ts$/ }, () => ({ loader: "ts", contents: page }));
        },
      },
      {
        name: "native part of argon2",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^@node-rs\/argon2-linux-/ }, ({ path }) =>
            path.startsWith(TARGETS[target].argon2) ? { path: Bun.resolveSync(path, argon2Home) } : undefined,
          );
        },
      },
    ],
    throw: false,
  });
  if (!success) throw new Error(logs.join("\n"));
  chmodSync(made, 0o755);
  mkdirSync(dirname(outfile), { recursive: true });
  // Beside its name first, then renamed: a running program keeps the file that it was started from.
  const beside = `${outfile}.new`;
  await Bun.write(beside, Bun.file(made));
  chmodSync(beside, 0o755);
  renameSync(beside, outfile);
}

const tell = (made: string, what: string) =>
  process.stdout.write(`${made}: ${Math.round(statSync(made).size / 1_000_000)} MB, ${what}\n`);

try {
  const options = readOptions();
  const scratch = mkdtempSync(join(tmpdir(), "fairlead-build-"));
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const source = await origin();
  await build(options, source, scratch);
  tell(options.outfile, `for Linux ${options.target}`);
  if (options.deb) {
    const architecture = TARGETS[options.target].debian;
    const deb = join(dirname(options.outfile), debName(architecture));
    const executable = await Bun.file(options.outfile).bytes();
    await Bun.write(deb, makeDeb(executable, architecture, Math.floor(source.builtAt / 1_000)));
    tell(deb, `for Debian ${architecture}`);
  }
} catch (error) {
  process.stderr.write(`build failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
