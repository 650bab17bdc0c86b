import { fieldError, GatehouseError, type SaidFieldError } from '../../errors.ts';
import { valuesByName } from '../../http/body.ts';
import { say } from '../../words/said.ts';

/** The demands of the proxy beside a session. */
export interface Parameters {
  /** Roles, of which one suffices; none asks for none. */
  roles: readonly string[];
  /** Whether two factors must have been used. */
  mfa: boolean;
  /** The greatest age of the sign-in, in seconds; null for any. */
  recentSeconds: number | null;
  /** The name of an API whose token the application gets; null for none. */
  resource: string | null;
  /** Whether the proxy is nginx, which takes no redirect of a question. */
  isNginx: boolean;
}

interface Known {
  roles: readonly string[];
  /** Returns whether sessions may have tokens of this API. */
  isResource(name: string): boolean;
}

const names = ['role', 'mfa', 'recent', 'resource', 'mode'] as const;
type Name = (typeof names)[number];

/**
 * Reads the parameters of a question. A misspelt one must not open what it was to close.
 * @throws {GatehouseError} invalid_input, for one that is unknown, empty, doubled or not in the configuration
 */
export function readParameters(query: string, { roles, isResource }: Known): Parameters {
  const given = valuesByName(new URLSearchParams(query));
  const errors = [...given].flatMap(([name, values]): SaidFieldError[] => {
    if (!(names as readonly string[]).includes(name)) return [fieldError(name, say('field_unknown_field'))];
    if (values.includes('')) return [fieldError(name, say('field_required'))];
    if (values.length > 1 && name !== 'role') return [fieldError(name, say('field_twice'))];
    return values.flatMap(value => wrong(name as Name, value) ?? []);
  });
  if (errors.length > 0) throw new GatehouseError('invalid_input', { errors });

  function wrong(name: Name, value: string): SaidFieldError | null {
    const only = (options: string) => fieldError(name, say('field_option', { options }));
    switch (name) {
      case 'role':
        return roles.includes(value) ? null : fieldError(name, say('field_role'));
      case 'mfa':
        return value === '1' ? null : only('1');
      case 'recent':
        return /^[1-9]\d{0,8}$/.test(value) ? null : fieldError(name, say('field_too_small', { least: 1 }));
      case 'resource':
        return isResource(value) ? null : fieldError(name, say('field_resource'));
      case 'mode':
        return value === 'nginx' ? null : only('nginx');
    }
  }

  const parameterOf = (name: Name) => given.get(name)?.[0] ?? null;
  const recent = parameterOf('recent');
  return {
    roles: given.get('role') ?? [],
    mfa: parameterOf('mfa') !== null,
    recentSeconds: recent === null ? null : Number(recent),
    resource: parameterOf('resource'),
    isNginx: parameterOf('mode') !== null,
  };
}
