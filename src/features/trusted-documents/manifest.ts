import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** GraphQL documents by the SHA-256 of their texts, in hex. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** Returns the SHA-256 of a document, as a manifest names it: in hex, in lower case. */
export const hashOfDocument = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Reads the manifest of `graphql_trusted_documents` (CONTRACT §9).
 * @throws {Error} that names the file and what is wrong with it
 */
export function readTrustedDocuments(path: string): TrustedDocuments {
  const manifest = parseManifest(path);
  const documents = new Map<string, string>();
  for (const [key, text] of Object.entries(manifest)) {
    if (typeof text !== 'string')
      throw new Error(`names ${path}, where ${shown(key)} is not the text of a document`);
    const hash = key.toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      throw new Error(
        `names ${path}, where ${shown(key)} is not a SHA-256 in hex: have your code generator hash with sha256`,
      );
    }
    if (hash !== hashOfDocument(text)) {
      throw new Error(
        `names ${path}, where ${shown(key)} is not the SHA-256 of its document: generate the file again`,
      );
    }
    documents.set(hash, text);
  }
  return documents;
}

function parseManifest(path: string): object {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `names a file that ${code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`}: ${path}`,
    );
  }
  const manifest = parseJson(text);
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return manifest;
  throw new Error(`names ${path}, which is not a JSON object of documents by their SHA-256`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The beginning of a key, which may be anything. */
const shown = (key: string) => JSON.stringify(key.length > 16 ? `${key.slice(0, 12)}…` : key);
