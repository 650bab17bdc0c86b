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

/** A button that works until its work is done, and says what went wrong below it. */
export function actionButton(text: string, work: () => Promise<unknown>): HTMLElement {
  const error = element('p', { className: 'error', role: 'alert' });
  const button = element('button', { type: 'button' }, text);
  button.onclick = async () => {
    error.textContent = '';
    await busy(button, work).catch((reason: Error) => {
      error.textContent = reason.message;
    });
  };
  return element('div', {}, button, error);
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
