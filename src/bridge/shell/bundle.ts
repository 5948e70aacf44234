import { dirname, join } from "node:path";
import { lazy } from "../../kernel/values/lazy";
import { usedStyle } from "./map-style";

/**
 * The files of the page. From source they are bundled at the first request; the build of the executable puts a module in the
 * place of this one that has them inside.
 */

/** A file of the page. Its name has a hash of its content, so that it never changes. */
export interface PageFile {
  name: string;
  bytes: () => Promise<Uint8Array<ArrayBuffer>>;
}

export interface PageBundle {
  files: readonly PageFile[];
  /** Names of the files that pages begin with. */
  entries: { script: string; shared: string; style: string; worker: string; socket: string };
}

const PAGE = join(import.meta.dir, "../page");

/**
 * The map's library, from its sources: its own bundles hold what the page and its worker share twice, which is a quarter of all
 * that the page loads.
 */
const MAP = join(dirname(Bun.resolveSync("maplibre-gl/package.json", PAGE)), "src");

/** Bundles the page. Throws if a file of it is wrong. */
export async function bundlePage(): Promise<PageBundle> {
  const entrypoints = [
    ...["main.tsx", "shared.tsx", "style.css", "socket-worker.ts"].map((name) => join(PAGE, name)),
    join(MAP, "source/worker.ts"),
  ];
  const { outputs } = await Bun.build({
    entrypoints,
    target: "browser",
    minify: true,
    splitting: true,
    naming: "[name]-[hash].[ext]",
    define: { "process.env.NODE_ENV": '"production"' },
    // The map's library is written for class fields that are assigned, not defined.
    tsconfig: join(PAGE, "tsconfig.json"),
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    plugins: [
      {
        name: "the map's library from its sources",
        setup: ({ onResolve }) => {
          onResolve({ filter: /^maplibre-gl$/ }, () => ({ path: join(MAP, "index.ts") }));
        },
      },
      {
        name: "its style as far as it is used",
        setup: ({ onLoad }) => {
          onLoad({ filter: /maplibre-gl\.css$/ }, async ({ path }) => ({
            contents: usedStyle(await Bun.file(path).text()),
            loader: "file",
          }));
        },
      },
    ],
  });
  const files = await Promise.all(
    outputs.map(async (output): Promise<PageFile> => {
      const name = output.path.replace(/^.*\//, "");
      // A source map is fetched by developers' tools alone, and isn't here.
      const text = /\.m?js$/.test(name)
        ? (await output.text()).replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, "\n")
        : null;
      const bytes =
        text === null ? new Uint8Array(await output.arrayBuffer()) : new TextEncoder().encode(text);
      return { name, bytes: async () => bytes };
    }),
  );
  const entry = (beginning: string, ending: string): string => {
    const found = files.find(({ name }) => name.startsWith(`${beginning}-`) && name.endsWith(ending));
    if (!found) throw new Error(`the bundle of the page has no ${beginning}${ending}`);
    return found.name;
  };
  return {
    files,
    entries: {
      script: entry("main", ".js"),
      shared: entry("shared", ".js"),
      style: entry("style", ".css"),
      worker: entry("worker", ".js"),
      socket: entry("socket-worker", ".js"),
    },
  };
}

export const pageBundle: () => Promise<PageBundle> = lazy(bundlePage);
