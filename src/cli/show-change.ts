import { parseDocument } from '@decimalturn/toml-patch';
import { fieldAt } from '../config/names.ts';

/** Replaces a value that must not be shown. */
const hidden = '<hidden>';

/**
 * Returns the lines of a TOML file that change, as `-` and `+` lines. Only values of fields that are known and not secret
 * are shown, in whatever form the file has them: a mistyped name may hold a secret, too.
 */
export const showTomlChange = (name: string, before: string, after: string): string =>
  showChange(name, before, after, tomlWithoutSecrets);

/** Returns the lines of a secrets file that change, as `-` and `+` lines, without any value. */
export const showSecretsChange = (name: string, before: string, after: string): string =>
  showChange(name, before, after, text =>
    linesOf(text).map(line => line.replace(/^([^=]*=).*$/, `$1${hidden}`)),
  );

/** Compares the original lines, and returns them as `masked` transforms them, one for one. */
function showChange(name: string, before: string, after: string, masked: (text: string) => string[]): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const removed = masked(before).filter((_, i) => !fresh.includes(old[i]!));
  const added = masked(after).filter((_, i) => fresh[i] !== '' && !old.includes(fresh[i]!));
  const lines = [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)];
  return [`${name}:`, ...(lines.length > 0 ? lines : ['  no change'])].join('\n');
}

const linesOf = (text: string) => text.split(/\r?\n/);

interface Position {
  /** From 1. */
  line: number;
  /** From 0, in UTF-16 units. */
  column: number;
}

/** The parts of the package's syntax tree that are used here. */
interface TreeNode {
  type: string;
  loc: { start: Position; end: Position };
  raw?: string;
  key?: TreeNode;
  item?: TreeNode;
  items?: TreeNode[];
  /** The names of a key, the node after an equals sign, or a plain value. */
  value?: unknown;
}

/** A range of the text, and what replaces it. */
interface Cover {
  start: Position;
  end: Position;
  text: string;
}

/** Returns the lines of a document with everything hidden that may be a secret. */
function tomlWithoutSecrets(text: string): string[] {
  const source = text.replace(/^\uFEFF/, '');
  const lines = linesOf(source);
  const tree = parseDocument(source).cst as Iterable<TreeNode>;
  const covers = [...tree].flatMap(node => [...coversOf(node, [])]);
  // From the end on, so that earlier positions stay valid.
  covers.sort((a, b) => b.start.line - a.start.line || b.start.column - a.start.column);
  for (const { start, end, text: shown } of covers) {
    const [first, last] = [lines[start.line - 1]!, lines[end.line - 1]!];
    const rest = last.slice(end.column);
    lines[start.line - 1] = first.slice(0, start.column) + shown + (start.line === end.line ? rest : '');
    if (start.line === end.line) continue;
    // A value of several lines keeps its number of lines, so that line numbers stay the same.
    lines.fill('', start.line, end.line - 1);
    lines[end.line - 1] = rest;
  }
  return lines;
}

function* coversOf(node: TreeNode, path: string[]): Generator<Cover> {
  const { start, end } = node.loc;
  switch (node.type) {
    case 'Comment':
      if (mayHoldSecret(node.raw ?? '')) yield { start, end, text: `# ${hidden}` };
      return;
    case 'Table':
    case 'TableArray':
      for (const item of node.items ?? []) yield* coversOf(item, namesOf(node.key?.item));
      return;
    case 'KeyValue':
      yield* coversOf(node.value as TreeNode, [...path, ...namesOf(node.key)]);
      return;
    case 'InlineItem':
      yield* coversOf(node.item!, path);
      return;
    case 'InlineTable':
    case 'InlineArray':
      for (const item of node.items ?? []) yield* coversOf(item, path);
      return;
    default:
      if (fieldAt(path)?.isSecret !== false) yield { start, end, text: hidden };
  }
}

const namesOf = (key: TreeNode | undefined) => (key?.value ?? []) as string[];

/** Returns whether a comment may be a commented-out setting, or mention a secret. */
const mayHoldSecret = (comment: string) => /[=:]|secret|password|token|credential|key/i.test(comment);
