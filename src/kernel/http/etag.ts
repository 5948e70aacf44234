/** True if an If-None-Match header names this ETag, by weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(etag: string, header: string | null): boolean {
  const bare = etag.replace(/^W\//, "");
  return header?.split(",").some((tag) => ["*", bare, `W/${bare}`].includes(tag.trim())) ?? false;
}
