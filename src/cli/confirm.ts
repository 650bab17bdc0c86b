import { CommandError } from './errors.ts';

/**
 * Asks for confirmation in a terminal, unless `yes` is given.
 * @throws {CommandError} without a terminal, and when the operator declines
 */
export async function confirmed(
  yes: boolean | undefined,
  message: string,
  noTerminal = 'Add --yes: there is no terminal to ask in.',
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new CommandError(noTerminal);
  const { confirm } = await import('@clack/prompts');
  // Ctrl-C returns a symbol.
  if ((await confirm({ message, initialValue: false })) !== true)
    throw new CommandError('Nothing was changed.');
}
