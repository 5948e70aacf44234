/** Formats of a track that are files. */
export const FILE_FORMATS = ["geojson", "gpx", "kml", "csv"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
