import { z } from 'zod';
import { ConfigSchema } from './schema.ts';

/** One field: where it stands, and what it holds. */
export interface Field {
  /** `['email', 'smtp_port']`, or one name at the top level. */
  path: string[];
  kind: 'flag' | 'whole' | 'list' | 'text';
  isOptional: boolean;
  isSecret: boolean;
  /** As a person would write it into the file; undefined when there is none. */
  default: unknown;
  description: string;
}

interface Unwrapped {
  kind: Field['kind'];
  isOptional: boolean;
  isSecret: boolean;
  default: unknown;
}

/** Looks through optional, default and transformed layers for what a schema takes. */
function unwrap(schema: z.core.$ZodType): Unwrapped {
  const found: Unwrapped = { kind: 'text', isOptional: false, isSecret: false, default: undefined };
  for (let layer = schema; ; ) {
    if (z.globalRegistry.get(layer)?.secret) found.isSecret = true;
    const def = layer._zod.def as z.core.$ZodTypeDef & {
      innerType?: unknown;
      in?: unknown;
      defaultValue?: unknown;
    };
    if (def.type === 'optional') found.isOptional = true;
    if (def.type === 'default' || def.type === 'prefault') found.default = def.defaultValue;
    const inner = (def.innerType ?? def.in) as z.core.$ZodType | undefined;
    if (inner) {
      layer = inner;
      continue;
    }
    if (def.type === 'boolean') found.kind = 'flag';
    if (def.type === 'number') found.kind = 'whole';
    if (def.type === 'array') found.kind = 'list';
    return found;
  }
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.ZodType> | undefined {
  for (let layer: unknown = schema; layer; ) {
    const { def } = (layer as z.core.$ZodType)._zod as {
      def: { shape?: Record<string, z.ZodType>; innerType?: unknown };
    };
    if (def.shape) return def.shape;
    layer = def.innerType;
  }
  return undefined;
}

/** Every field of the schema, in its order; tables after the top level. */
export const fields: readonly Field[] = Object.entries(ConfigSchema.shape).flatMap(([name, schema]) => {
  const table = shapeOf(schema);
  const rows: [string[], z.ZodType][] = table
    ? Object.entries(table).map(([key, inner]) => [[name, key], inner])
    : [[[name], schema]];
  return rows.map(([path, inner]) => ({ path, description: inner.description ?? '', ...unwrap(inner) }));
});

/** `smtp_port` → `smtpPort` */
export const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** `['email', 'smtp_port']` → `SVC_EMAIL__SMTP_PORT` */
export const environmentName = (path: readonly string[]) => `SVC_${path.join('__').toUpperCase()}`;

/** The known name that a mistyped one most likely means, when one is near enough: its table may be missing or wrong, too. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.replace(/^SVC_/, '').replace(/[_.]/g, '').toLowerCase();
  const last = (text: string) => text.split(/\.|__/).at(-1)!;
  /** How far two are apart, or infinitely when that is more than a quarter of what was typed. */
  const distance = (typed: string, meant: string) => {
    const edits = editDistance(plain(typed), plain(meant));
    const limit = Math.max(1, Math.floor(plain(typed).length / 4));
    return edits <= limit ? edits : Number.POSITIVE_INFINITY;
  };
  const [first] = known
    .map(k => ({
      k,
      distance: Math.min(
        distance(name, k),
        distance(name, last(k)) + 0.5,
        distance(last(name), last(k)) + 0.5,
      ),
    }))
    .sort((a, b) => a.distance - b.distance);
  return first && Number.isFinite(first.distance) ? first.k : undefined;
}

/** How many characters are added, left out, replaced or swapped with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1]!;
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
