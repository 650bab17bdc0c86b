import type { Command } from 'commander';
import type { Inspection, OpenFeature } from '../composition/open-feature.ts';
import { CommandError } from './errors.ts';
import { withMigrated } from './instance.ts';
import { type FileOptions, withFiles } from './settings.ts';

/** A longer text is no token. */
const longestToken = 16_384;

/** Adds the command that tells about a token, whichever feature has made it. */
export function addToken(program: Command): void {
  const token = program.command('token').description('look at access tokens and API keys');
  withFiles(token.command('inspect'))
    .description(
      'read an access token or an API key from standard input, and print its parts and whether it is active (exit code 0) or not (1)',
    )
    .option('--json', 'print a JSON object')
    .action(async ({ json = false, ...options }: FileOptions & { json?: boolean }) => {
      const text = await readToken();
      await withMigrated(options, async ({ features }) => {
        const opened: readonly OpenFeature[] = Object.values(features);
        for (const { inspect } of opened) {
          const found = await inspect?.(text);
          if (!found) continue;
          console.log(json ? JSON.stringify(found) : linesOf(found).join('\n'));
          process.exitCode = found.active ? 0 : 1;
          return;
        }
        throw new CommandError('It is neither an access token nor an API key.');
      });
    });
}

/** @throws {CommandError} when there is none */
async function readToken(): Promise<string> {
  if (process.stdin.isTTY) console.error('Paste the token, then press Ctrl-D.');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > longestToken) break;
  }
  const token = text.trim();
  if (token === '' || token.length > longestToken || /\s/.test(token))
    throw new CommandError('There is no token on standard input.');
  return token;
}

function linesOf({ kind, header, claims, key, active }: Inspection): string[] {
  const known = key ? Object.entries(key).map(([name, value]) => `${name} ${value}`) : ['none of ours'];
  return [
    `kind: ${kind}`,
    ...(header ? [`header: ${JSON.stringify(header)}`] : []),
    `claims: ${JSON.stringify(claims)}`,
    ...(key === undefined ? [] : [`key: ${known.join(', ')}`]),
    `active: ${active ? 'yes' : 'no'}`,
  ];
}
