import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../check.ts';
import type { Letters } from './letters.ts';
import type { Following } from './log-follow.ts';
import type { Mailbox } from './mailbox.ts';
import { runForOutput } from './mailbox-command.ts';

/**
 * In milliseconds: the polling interval of a folder, the interval between runs of a command, and the delay before the
 * first run of a wait.
 */
const folderPollMs = 250;
const commandPollMs = 1000;
const idlePollMs = 50;
/** The largest email that is read, in bytes: Gatehouse's are a few KiB. */
const mailLimit = 1024 * 1024;

type TakeMail = (raw: Buffer) => Promise<void>;
/** Reads the emails that arrived since the last call. Returns how long to wait before the next call, in milliseconds. */
type Look = () => Promise<number>;

/** Follows a mailbox until it is closed, and changes nothing in it. @throws {CheckFailure} when it cannot be read */
export async function followMailbox(mailbox: Mailbox, letters: Letters, take: TakeMail): Promise<Following> {
  const closing = new AbortController();
  const { signal } = closing;
  const look =
    mailbox.kind === 'maildir'
      ? await maildir(mailbox.path, take)
      : commandOutput(mailbox.command, letters, take, signal);

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = await look();
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
  follow().catch(error => letters.ended(error.code ?? error.message));
  return { close: () => closing.abort() };
}

/**
 * Reads a Maildir: each email is a file, which an email program moves from `new` to `cur`, with other flags behind a
 * colon, when it has seen it.
 */
async function maildir(path: string, take: TakeMail): Promise<Look> {
  const folders = [join(path, 'new'), join(path, 'cur')];
  const seen = new Set<string>();
  const nameOf = (file: string) => file.split(':', 1)[0]!;

  async function* unseen(): AsyncGenerator<{ file: string; name: string }> {
    for (const folder of folders) {
      for (const file of await readdir(folder)) {
        const name = nameOf(file);
        if (!seen.has(name)) yield { file: join(folder, file), name };
      }
    }
  }

  try {
    for await (const { name } of unseen()) seen.add(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? 'is not a Maildir: it has no folders new and cur' : `can't be read (${code})`;
    throw new CheckFailure(`The mailbox ${path} ${reason}.`);
  }

  return async () => {
    for await (const { file, name } of unseen()) {
      const raw = await readIfThere(file);
      // It was moved at this very moment, and is found in its new folder by the next call.
      if (raw === null) continue;
      seen.add(name);
      await take(raw);
    }
    return folderPollMs;
  };
}

/** Returns null for a file that is gone; one that is too large is read as empty. */
async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    if ((await stat(file)).size > mailLimit) return Buffer.alloc(0);
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Reads the output of a command that prints emails and runs while one is waited for. The output of earlier runs is skipped.
 */
function commandOutput(command: string, letters: Letters, take: TakeMail, signal: AbortSignal): Look {
  const seen = new Set<string>();
  return async () => {
    const to = letters.awaited;
    if (to === null) return idlePollMs;
    const { output, complaint } = await runForOutput(command, to, signal);
    letters.troubled(complaint);
    for (const raw of mailsIn(output)) {
      const hash = createHash('sha256').update(raw).digest('base64');
      if (seen.has(hash)) continue;
      seen.add(hash);
      await take(raw);
    }
    return commandPollMs;
  };
}

/** Returns one email, or several from a file in mbox format (RFC 4155), where each begins after a line `From …`. */
export function mailsIn(output: Buffer): Buffer[] {
  const text = output.toString('latin1').replace(/^\s+/, '');
  const mails = text.startsWith('From ') ? text.split(/^From .*\r?\n/m) : [text];
  return mails.filter(mail => mail.trim() !== '').map(mail => Buffer.from(mail, 'latin1'));
}
