// The reference of REST: a table for each operation, from the routes themselves.
import type { z } from 'zod';
import { alignedTable } from '../../src/config/describe.ts';
import { camelCase, fields } from '../../src/config/names.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type AccessKind, asksRecentSignIn, demandsOf } from '../../src/domain/operation.ts';
import { type ErrorCode, errorCodes } from '../../src/errors.ts';
import { everyFeature } from '../../src/feature-parts.ts';
import { fieldsOf as graphqlFieldsOf } from '../../src/graphql/field.ts';
import { statusOf } from '../../src/http/problem.ts';
import { inputFields } from '../../src/rest/input.ts';
import { type Route, routesOf } from '../../src/rest/route.ts';
import { choicesOf, itemOf, shapeOf } from '../../src/zod-shape.ts';
import { withEveryFeature } from '../write-schema.ts';

const code = (text: string) => `\`${text}\``;
const requestOf = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;

/** Returns a heading and a table for each route, in the order of the routes. */
export async function restReference(): Promise<string> {
  const conditions = await conditionsOfRoutes();
  return withEveryFeature(({ operations }) => {
    const inGraphql = new Set(graphqlFieldsOf(operations).map(({ operation }) => operation));
    const groups = Map.groupBy(routesOf(operations), groupOf);
    return [...groups]
      .flatMap(([group, routes]) => [
        `## ${group}`,
        ...routes.map(route => sectionOf(route, { isInGraphql: inGraphql.has(route.operation), conditions })),
      ])
      .join('\n\n');
  });
}

const groupOf = ({ path }: Route) =>
  path.startsWith('/admin')
    ? 'Administration'
    : path.startsWith('/oauth')
      ? 'Identity providers'
      : 'Accounts';

const access: Record<AccessKind, string> = {
  anyone: 'anyone',
  session: 'every signed-in person',
  person: 'every signed-in person, and API keys',
  superuser: 'superusers',
};

interface SectionFacts {
  isInGraphql: boolean;
  conditions: Map<string, string>;
}

function sectionOf(route: Route, { isInGraphql, conditions }: SectionFacts): string {
  const { spec } = route.operation;
  const request = requestOf(route);
  const fields = Object.entries(inputFields(route)).map(
    ([name, schema]) => code(name) + (shapeOf(schema).isOptional ? '?' : ''),
  );
  const condition = conditions.get(request);
  const rows = [
    ['Access', access[spec.access.kind]],
    ...(condition ? [['There while', condition]] : []),
    ['Takes', fields.join(', ') || 'nothing'],
    ['Returns', answerOf(route)],
    [
      'Errors of its own',
      errorsOf(route)
        .map(each => `${code(each)} (${statusOf(each)})`)
        .join(', ') || 'none',
    ],
    ['Rate limit', spec.limit ? code(`${spec.limit}_rate_limit`) : 'none'],
    ['GraphQL', isInGraphql ? code(spec.name) : 'none'],
  ];
  const summary = spec.description ? `${spec.summary} ${spec.description}` : spec.summary;
  return `### ${request}\n\n${summary}\n\n${alignedTable([['Request', code(request)], ...rows])}`;
}

/** The codes that not every operation with the same access has. */
function errorsOf({ operation: { spec } }: Route): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...spec.errors,
    ...(asksRecentSignIn(demandsOf(spec)) ? (['recent_sign_in_required'] as const) : []),
    ...(demandsOf(spec).scope === undefined ? [] : (['insufficient_scope'] as const)),
    ...(spec.limit ? (['rate_limited'] as const) : []),
  ];
  const order = Object.keys(errorCodes);
  return [...new Set(codes)].toSorted(
    (a, b) => statusOf(a) - statusOf(b) || order.indexOf(a) - order.indexOf(b),
  );
}

function answerOf({ status, operation: { spec } }: Route): string {
  if (status === 302) return '302, a redirect';
  if (status === 204) return '204, and the header `Set-Cookie`';
  return `${status}, ${nameOf(spec.output)}`;
}

/** Returns the name that the OpenAPI document has for a view. */
function nameOf(schema: z.core.$ZodType): string {
  const { type, meta } = shapeOf(schema);
  if (meta.id !== undefined) return code(meta.id);
  if (type === 'union') return choicesOf(schema).map(nameOf).join(' or ');
  const item = itemOf(schema);
  return item ? `a list of ${nameOf(item)}` : 'an object';
}

/** The switch of routes: one flag, or any of several. */
const switches: (keyof ConfigInput)[][] = [
  ['enablePasswordReset'],
  ['enableAccountDeletion'],
  ['enableSms2fa'],
  ['enableTotp'],
  ['enablePasskeys'],
  ['enableTotp', 'enablePasskeys'],
  ['enableSms2fa', 'enableTotp', 'enablePasskeys'],
  ['enableSessionList'],
  ['notifyNewSignIn'],
  ['enableBrowserSessions'],
  ['enableOauth'],
  ['enableAdminRouter'],
];

/** `enableSms2fa` → `enable_sms_2fa` */
const nameOfFlag = (flag: string) =>
  fields.map(({ path }) => path[0]!).find(name => camelCase(name) === flag)!;

/** Returns the flags of features that need one of these. */
const needingFeatures = (flags: readonly string[]): string[] =>
  everyFeature.flatMap(({ needs }) =>
    needs?.flags.some(flag => flags.includes(camelCase(flag))) ? [camelCase(needs.flag)] : [],
  );

/** Returns what must be on for a route to be there, found by switching it off. Other routes are always there. */
async function conditionsOfRoutes(): Promise<Map<string, string>> {
  const routes = (given: ConfigInput = {}) =>
    withEveryFeature(({ operations }) => routesOf(operations).map(requestOf), given);
  const all = await routes();
  const conditions = new Map<string, string[]>();
  for (const flags of switches) {
    // It is refused without the list of sessions.
    const needing = flags.includes('enableSessionList') ? { notifyNewSignIn: false } : {};
    const off = {
      ...Object.fromEntries(flags.map(flag => [flag, false])),
      ...needing,
      ...Object.fromEntries(needingFeatures(flags).map(flag => [flag, false])),
    };
    const left = new Set(await routes(off));
    const names = flags.map(flag => code(nameOfFlag(flag)));
    for (const route of all) {
      const known = conditions.get(route) ?? [];
      // A flag that is needed alone says it all.
      const isSaid = known.some(words => names.some(name => words.includes(name)));
      if (!left.has(route) && !isSaid) conditions.set(route, [...known, names.join(' or ')]);
    }
  }
  return new Map([...conditions].map(([route, words]) => [route, words.join(', and ')]));
}
