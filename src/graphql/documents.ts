import type { DocumentNode, Token } from "graphql";
import type { Plugin } from "graphql-yoga";

/**
 * A cache of parsed and validated documents: parsing and validating takes three times as long as executing.
 * Documents that strangers make up push known ones out, but take no more memory than they did.
 */

/** Estimated memory (`weigh`) of all cached documents, and of any one of them. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_BYTES_EACH = 512 * 1024;

/** Memory of a token with its part of the tree (measured, rounded up); a comment takes less. */
const TOKEN_BYTES = 640;

interface Known {
  document: DocumentNode;
  bytes: number;
}

/** Caches valid documents alone: a refusal holds up to a hundred errors with their stacks. */
export function rememberDocuments(): Plugin {
  /** By text, least recently used first. */
  const known = new Map<string, Known>();
  const valid = new WeakSet<DocumentNode>();
  let bytesInAll = 0;

  function remember(document: DocumentNode): void {
    const text = document.loc?.source.body ?? "";
    const bytes = weigh(document);
    if (bytes > MAX_BYTES_EACH || known.has(text)) return;
    valid.add(document);
    known.set(text, { document, bytes });
    bytesInAll += bytes;
    for (const [oldest, { bytes: freed }] of known) {
      if (bytesInAll <= MAX_BYTES) return;
      known.delete(oldest);
      bytesInAll -= freed;
    }
  }

  return {
    onParse({ params: { source }, setParsedDocument }) {
      const text = typeof source === "string" ? source : source.body;
      const found = known.get(text);
      if (!found) return;
      known.delete(text);
      known.set(text, found);
      setParsedDocument(found.document);
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (valid.has(documentAST)) {
        setResult([]);
        return;
      }
      return ({ valid: isValid }) => {
        if (isValid) remember(documentAST);
      };
    },
  };
}

/**
 * Estimated memory of a document (bytes). Its tree holds its text and all its tokens, comments among them.
 */
function weigh({ loc }: DocumentNode): number {
  let bytes = 2 * (loc?.source.body.length ?? 0);
  for (let token: Token | null = loc?.startToken ?? null; token; token = token.next) bytes += TOKEN_BYTES;
  return bytes;
}
