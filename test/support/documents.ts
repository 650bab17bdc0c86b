import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A fenced block of a document. */
export interface Block {
  document: string;
  language: string;
  text: string;
}

/** The fenced blocks of a document, in order; one that stands in a list is unindented. */
export async function blocksOf(document: string): Promise<Block[]> {
  return blocksInText(document, await readFile(join(root, document), 'utf8'));
}

/** The fenced blocks of each chapter of a document, by its title. */
export async function chaptersOf(document: string): Promise<Map<string, Block[]>> {
  const [, ...chapters] = (await readFile(join(root, document), 'utf8')).split(/^## /m);
  return new Map(chapters.map(text => [text.split('\n', 1)[0]!, blocksInText(document, text)]));
}

function blocksInText(document: string, text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w+)\n(.*?)^\1```$/gms)].map(([, indent, language, text]) => ({
    document,
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The blocks in this language of every document. */
export async function blocksIn(language: string): Promise<Block[]> {
  const blocks: Block[] = [];
  for await (const document of glob(['*.md', 'docs/*.md', 'examples/*/*.md'], { cwd: root }))
    blocks.push(...(await blocksOf(document)));
  return blocks.filter(block => block.language === language);
}
