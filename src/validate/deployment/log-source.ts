import { CheckFailure } from '../check.ts';

/** Where the log of the deployment is. */
export type LogSource =
  | { kind: 'file'; path: string }
  | { kind: 'ssh'; destination: string; path: string }
  | { kind: 'docker'; container: string }
  | { kind: 'cmd'; command: string };

const forms = 'file:PATH, ssh:USER@HOST:PATH, docker:NAME or cmd:COMMAND';

/** Excludes anything that a program could interpret as an option, or a remote shell as more than a name. */
const userName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const hostName = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const ipv6Address = /^\[[0-9A-Fa-f:.]+\]$/;
const containerName = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

/** Parses `--log-source`. @throws {CheckFailure} that says what is wrong with it */
export function parseLogSource(text: string): LogSource {
  const [, kind, rest] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (kind === undefined || !rest) throw new CheckFailure(`The log source must be ${forms}.`);
  if (rest.includes('\0')) throw new CheckFailure('The log source contains a null character.');
  switch (kind) {
    case 'file':
      return { kind, path: rest };
    case 'ssh':
      return parseSsh(rest);
    case 'docker':
      if (!containerName.test(rest)) throw new CheckFailure(`${rest} can't be the name of a container.`);
      return { kind, container: rest };
    case 'cmd':
      return { kind, command: rest };
    default:
      throw new CheckFailure(`There is no log source ${kind}: it must be ${forms}.`);
  }
}

function parseSsh(text: string): LogSource {
  const [, user, host, path] = /^(?:([^@:]*)@)?(\[[^\]]*\]|[^:]*):(.+)$/s.exec(text) ?? [];
  if (host === undefined || !path) throw new CheckFailure('An ssh log source must be ssh:USER@HOST:PATH.');
  if (user !== undefined && !userName.test(user))
    throw new CheckFailure(`${user} can't be the name of a user.`);
  if (!hostName.test(host) && !ipv6Address.test(host))
    throw new CheckFailure(`${host} can't be the name of a host.`);
  const address = host.replace(/^\[|\]$/g, '');
  return { kind: 'ssh', destination: user === undefined ? address : `${user}@${address}`, path };
}

/** The program that follows a log, and its arguments, which no shell of this machine interprets. */
export interface Follower {
  program: string;
  args: string[];
  /** The line that it prints once it follows, if it does so. */
  ready?: string;
  /** Whether the log also arrives on standard error. */
  both?: boolean;
}

/** Returns how to follow, from now on, a log that is not a file of this machine. */
export function followerOf(source: Exclude<LogSource, { kind: 'file' }>, now: Date): Follower {
  switch (source.kind) {
    case 'ssh': {
      const ready = 'gatehouse-probe-ready';
      // The end of the file is determined before the ready message: nothing that is written from then on is missed.
      const script = `n=$(wc -c < "$1") && echo ${ready} && exec tail -c "+$((n + 1))" -F -- "$1"`;
      // The remote side passes this to a shell, so the path is quoted for it.
      const command = `exec sh -c '${script}' sh ${quoted(source.path)}`;
      const args = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '--', source.destination, command];
      return { program: 'ssh', args, ready };
    }
    case 'docker': {
      const args = ['logs', '--follow', '--since', now.toISOString(), '--', source.container];
      return { program: 'docker', args, both: true };
    }
    case 'cmd':
      return { program: 'sh', args: ['-c', source.command] };
  }
}

/** Quotes for a POSIX shell: everything between single quotes is literal. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
