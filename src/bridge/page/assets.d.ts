/** Files that the bundler copies beside the script: the import is their address, relative to the script. */
declare module "maplibre-gl/dist/maplibre-gl.css" {
  const path: string;
  export default path;
}
