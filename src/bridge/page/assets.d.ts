/** Files that the bundler copies beside the script: the import is their address, relative to the script. */
declare module "maplibre-gl/dist/maplibre-gl.css" {
  const path: string;
  export default path;
}
/** A script that other pages take too, and therefore no TypeScript. */
declare module "*/ceremony.js" {
  type Schemas = import("./document.gen").components["schemas"];
  export function mayUsePasskeys(origins: readonly string[]): boolean;
  export function askForPasskey(
    options: Schemas["PasskeyRequestOptions"]["public_key"],
  ): Promise<Schemas["Assertion"]>;
  export function makePasskey(
    options: Schemas["PasskeyCreationOptions"]["public_key"],
  ): Promise<Schemas["NewCredential"]>;
}
