import { reasonOf } from './words.ts';

type Child = Node | string;

/** Makes an element. Text is text: nothing of what the server says becomes markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const paragraph = (...children: Child[]) => element('p', {}, ...children);
export const link = (href: string, text: string) => element('a', { href }, text);

/** A button that works until its work is done, and says below it what that answers or what went wrong. */
export function actionButton(text: string, work: () => Promise<string | undefined>): HTMLElement {
  const status = element('p', { className: 'said', role: 'status' });
  const error = element('p', { className: 'error', role: 'alert' });
  const button = element('button', { type: 'button' }, text);
  button.onclick = async () => {
    status.textContent = '';
    error.textContent = '';
    await busy(button, async () => {
      status.textContent = (await work()) ?? '';
    }).catch((reason: unknown) => {
      error.textContent = reasonOf(reason);
    });
  };
  return element('div', {}, button, status, error);
}

/** Keeps a button from being pressed twice. */
export async function busy(button: HTMLButtonElement, work: () => Promise<unknown>): Promise<void> {
  if (button.ariaBusy === 'true') return;
  button.ariaBusy = 'true';
  try {
    await work();
  } finally {
    button.ariaBusy = 'false';
  }
}
