import { globSync } from 'node:fs';
import { join } from 'node:path';

/** The servers that the tests of a run share, as backends of Gatehouse. */
export const serverNames = ['postgresql', 'mongodb', 'mongodb-replica'] as const;
export type ServerName = (typeof serverNames)[number];

/** The programs that tests run for themselves. */
export const programNames = ['chromium', 'redis', 'pgbouncer', 'fido2', 'nginx', 'haproxy', 'caddy'] as const;
export type ProgramName = (typeof programNames)[number];

/** A server or a program that tests may need. */
export type PartName = ServerName | ProgramName;

/**
 * How much a run tests: `fast` what needs no server, on SQLite alone; `test` every rule; `all` the long stories on every
 * database, too; `hosts` what installs packages of others, and nothing else.
 */
export const tiers = ['fast', 'test', 'all', 'hosts'] as const;
export type Tier = (typeof tiers)[number];

export interface ProjectOptions {
  /** Started or looked for before the first of its tests. */
  needs: PartName[];
  /** Its folders and files under test; the longest entry that fits a file decides about it. */
  tests: string[];
  /** The files that the fast part leaves out, because they have no part on SQLite or take long. */
  slow: string[];
}

/** The projects that `vitest run` has. A folder or file of tests is of exactly one. */
export const projects = {
  /** Rules that no server makes a difference to. */
  unit: {
    needs: [],
    tests: [
      'agents.test.ts',
      'architecture.test.ts',
      'assurance/',
      'client/',
      'commands.test.ts',
      'config/',
      'create/',
      'crypto/',
      'descriptions.test.ts',
      'docs.test.ts',
      'examples-in-comments.test.ts',
      'embedding/',
      'features/',
      'golden/',
      'guides.test.ts',
      'lazily.test.ts',
      'mail/',
      'mounts/',
      'observability/',
      'openapi.test.ts',
      'optional.test.ts',
      'package-hosts.test.ts',
      'pages/',
      'passwords/',
      'projects.test.ts',
      'schema.test.ts',
      'services/',
      'sms/',
      'validate/',
      'verify/',
      'words/',
    ],
    slow: [
      'assurance/service.test.ts',
      'client/generated.test.ts',
      'client/session.test.ts',
      'create/create.test.ts',
      'crypto/foreign-hashes.test.ts',
      'embedding/instances.test.ts',
      'features/breached-passwords/filter.test.ts',
      'features/flags.test.ts',
      'golden/pages.test.ts',
      'mail/messages.test.ts',
      'mail/smtp.test.ts',
      'openapi.test.ts',
      'validate/deployment/mailbox.test.ts',
      'validate/deployment/probe.test.ts',
    ],
  },
  /** What people and programs may do, through the doors of an instance, on each backend. */
  doors: {
    needs: ['postgresql', 'mongodb', 'mongodb-replica', 'redis', 'fido2'],
    tests: [
      'doors/',
      'embedding/testing.test.ts',
      'features/access-tokens/',
      'features/api-keys/',
      'features/audit-store/doors.test.ts',
      'features/breached-passwords/doors.test.ts',
      'features/browser-sessions/doors.test.ts',
      'features/durable-handlers/',
      'features/federation/',
      'features/forward-auth/',
      'features/import-export/',
      'features/passkeys/doors.test.ts',
      'features/passkeys/foreign.test.ts',
      'features/new-sign-ins/',
      'features/trusted-documents/doors.test.ts',
      'features/webhooks/',
      'fuzz.test.ts',
      'limits/',
      'load/',
      'oauth/',
      'outgoing/',
      'requests/',
      'server-api/',
      'validate/configuration/database.test.ts',
      'validate/deployment/rows.test.ts',
    ],
    slow: [
      'doors/contested.test.ts',
      'doors/effects-on-servers.test.ts',
      'doors/effects.test.ts',
      'doors/enumeration-safe.test.ts',
      'doors/graphql-protocol.test.ts',
      'doors/hooks.test.ts',
      'doors/mfa-required.test.ts',
      'doors/new-passwords.test.ts',
      'doors/outbox.test.ts',
      'doors/password-reset.test.ts',
      'doors/pseudo-language.test.ts',
      'doors/recent-sign-in.test.ts',
      'doors/sessions.test.ts',
      'doors/ways-in.test.ts',
      'embedding/testing.test.ts',
      'features/breached-passwords/doors.test.ts',
      'features/forward-auth/gate.test.ts',
      'features/import-export/import.test.ts',
      'features/new-sign-ins/report.test.ts',
      'features/new-sign-ins/requests.test.ts',
      'features/passkeys/doors.test.ts',
      'features/passkeys/foreign.test.ts',
      'features/webhooks/doors.test.ts',
      'fuzz.test.ts',
      'limits/lockout.test.ts',
      'limits/mail-cap.test.ts',
      'limits/rate-limit-redis.test.ts',
      'limits/rate-limit.test.ts',
      'limits/redis-url.test.ts',
      'oauth/hostile-provider.test.ts',
      'oauth/starts.test.ts',
      'requests/hashing.test.ts',
      'requests/passkey-attacks.test.ts',
      'requests/second-factors.test.ts',
      'requests/take-over.test.ts',
      'requests/unlink.test.ts',
      'validate/configuration/database.test.ts',
    ],
  },
  /** What each backend keeps, and how it is upgraded. */
  storage: {
    needs: ['postgresql', 'mongodb', 'mongodb-replica', 'pgbouncer'],
    tests: [
      'storage/',
      'features/audit-store/contract.test.ts',
      'features/new-sign-ins/contract.test.ts',
      'upgrade-before.test.ts',
      'upgrade.test.ts',
    ],
    slow: [
      'storage/connections.test.ts',
      'storage/list-order.test.ts',
      'storage/mongodb-indexes.test.ts',
      'storage/mongodb-tls.test.ts',
      'storage/outage.test.ts',
      'storage/pooler.test.ts',
      'storage/postgresql-hosts.test.ts',
      'storage/postgresql-tls.test.ts',
      'storage/search.test.ts',
      'storage/sqlite-file.test.ts',
      'storage/sqlite-write-back.test.ts',
      'storage/without-orm.test.ts',
      'upgrade.test.ts',
    ],
  },
  /** Programs of several processes, browsers, packages as they are installed, and what breaks. */
  system: {
    needs: [...serverNames, ...programNames],
    tests: [
      'browser/',
      'cli/',
      'create/terminal.test.ts',
      'examples.test.ts',
      'faults/',
      'features/audit-store/command.test.ts',
      'features/audit-store/console.browser.test.ts',
      'features/audit-store/processes.test.ts',
      'features/breached-passwords/command.test.ts',
      'features/browser-sessions/enrolment.browser.test.ts',
      'features/browser-sessions/pages.browser.test.ts',
      'features/federation/command.test.ts',
      'features/forward-auth/proxies.test.ts',
      'features/import-export/commands.test.ts',
      'features/import-export/moving-in.test.ts',
      'features/new-sign-ins/processes.test.ts',
      'features/new-sign-ins/report.browser.test.ts',
      'features/trusted-documents/command.test.ts',
      'features/webhooks/command.test.ts',
      'features/webhooks/console.browser.test.ts',
      'features/webhooks/receiver.test.ts',
      'load/start.test.ts',
      'load/workers.test.ts',
      'observability/serve.test.ts',
      'package-databases.test.ts',
      'package-testing.test.ts',
      'package.test.ts',
      'processes/',
      'production/',
      'readme.test.ts',
      'support/',
      'timing.test.ts',
      'upgrade-beside.test.ts',
      'validate/deployment/serve.test.ts',
    ],
    slow: ['.'],
  },
  /** Applications that install the packed package and packages of others, from a registry. */
  hosts: {
    needs: ['postgresql', 'mongodb', 'chromium'],
    tests: [
      'mounts/apollo.test.ts',
      'mounts/create.test.ts',
      'mounts/frameworks.test.ts',
      'mounts/graphql-host.test.ts',
      'mounts/orm-patch.test.ts',
      'mounts/personas.test.ts',
      'mounts/ranges.test.ts',
      'mounts/runtimes.test.ts',
      'site/',
    ],
    slow: [],
  },
} satisfies Record<string, ProjectOptions>;

export type ProjectName = keyof typeof projects;

const folder = join(import.meta.dirname, '..');

/** The test files there are, as paths under test. */
export const testFiles = (): string[] => globSync('**/*.test.ts', { cwd: folder }).toSorted();

/** @throws {Error} where no project has the file, or two have it */
export function projectOf(file: string): ProjectName {
  const fitting = Object.entries(projects).flatMap(([name, { tests }]) =>
    tests.filter(entry => fits(file, entry)).map(entry => ({ name: name as ProjectName, entry })),
  );
  const longest = Math.max(...fitting.map(({ entry }) => entry.length));
  const [decisive, ...others] = fitting.filter(({ entry }) => entry.length === longest);
  if (!decisive)
    throw new Error(
      `test/${file} belongs to no project: name it or its folder in one of test/support/projects.ts`,
    );
  if (others.length > 0)
    throw new Error(
      `test/${file} belongs to two projects: name ${decisive.entry} in one of test/support/projects.ts alone`,
    );
  return decisive.name;
}

/** The files of a project in a run. */
export function filesOf(name: ProjectName, tier: Tier): string[] {
  if ((name === 'hosts') !== (tier === 'hosts')) return [];
  return testFiles().filter(
    file => projectOf(file) === name && !(tier === 'fast' && isSlow(file, projects[name])),
  );
}

/** Whether the fast part leaves a file out. */
export const isSlow = (file: string, { slow }: Pick<ProjectOptions, 'slow'>): boolean =>
  slow.some(entry => entry === '.' || fits(file, entry));

/** Whether a file is an entry or in it. */
function fits(file: string, entry: string): boolean {
  return entry.endsWith('/') ? file.startsWith(entry) : file === entry;
}
