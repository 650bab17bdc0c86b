import type { Logger } from '../logger.ts';

/** The states that the service manager accepts (sd_notify(3)). */
export type ServiceState = 'READY=1' | 'RELOADING=1' | 'STOPPING=1';

/** How long the service manager may take to receive it, in milliseconds. */
const timeoutMs = 10_000;

/**
 * Returns what notifies systemd of the state of the service, if it runs as a unit of `Type=notify`. The socket takes
 * datagrams, for which Node has no API, so the program that comes with systemd sends them; the unit must accept messages
 * from it (`NotifyAccess=all`). Messages arrive in the order of the calls. A call resolves when its message was sent, or when
 * a failure was logged.
 */
export function createNotifier(logger: Logger): (state: ServiceState) => Promise<void> {
  let last = Promise.resolve();
  return state => {
    if (process.env.NOTIFY_SOCKET) last = last.then(() => send(state, logger));
    return last;
  };
}

async function send(state: ServiceState, logger: Logger): Promise<void> {
  const { execFile } = await import('node:child_process');
  await new Promise<void>(resolve => {
    execFile('systemd-notify', [state], { timeout: timeoutMs }, err => {
      if (err) logger.warn({ err, state }, 'systemd could not be notified: is systemd-notify in PATH?');
      resolve();
    });
  });
}
