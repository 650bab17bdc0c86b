import { busy, element } from './elements.ts';
import { reasonOf, wrongFields } from './words.ts';

/** One input of a form. Its name is the one that the API gives it, so errors find their way. */
interface Field {
  name: string;
  label: string;
  type?: 'email' | 'password' | 'tel' | 'text';
  autocomplete: AutoFill;
  value?: string;
  optional?: boolean;
  numeric?: boolean;
}

interface FormOptions<Name extends string> {
  fields: (Field & { name: Name })[];
  submit: string;
  /** Whether what it does cannot be undone. */
  isDangerous?: boolean;
  /** Answers what to tell when it is done; nothing when it has gone elsewhere. */
  send: (values: Record<Name, string>) => Promise<string | undefined>;
}

/** A form that works by keyboard and with a screen reader: labels, errors tied to their fields, and a live region. */
export function form<Name extends string>({
  fields,
  submit,
  isDangerous,
  send,
}: FormOptions<Name>): HTMLFormElement {
  const status = element('p', { className: 'said', role: 'status' });
  const alert = element('p', { className: 'error', role: 'alert' });
  const button = element('button', { type: 'submit', className: isDangerous ? 'danger' : '' }, submit);
  const rows = fields.map(field => rowOf(field));
  const made = element('form', { noValidate: true }, ...rows.map(row => row.label), button, status, alert);

  function show(error: unknown): void {
    const told = wrongFields(error);
    for (const row of rows) row.complain(told[row.name]);
    const first = rows.find(row => row.name in told);
    if (first) first.input.focus();
    else alert.textContent = reasonOf(error);
  }

  made.onsubmit = event => {
    event.preventDefault();
    status.textContent = '';
    alert.textContent = '';
    for (const row of rows) row.complain();
    const values = Object.fromEntries(rows.map(row => [row.name, row.input.value])) as Record<Name, string>;
    void busy(button, async () => {
      const said = await send(values);
      if (said === undefined) return;
      for (const row of rows) if (row.input.type === 'password') row.input.value = '';
      status.textContent = said;
    }).catch(show);
  };
  return made;
}

function rowOf({ name, label, type = 'text', autocomplete, value = '', optional, numeric }: Field) {
  const input = element('input', { name, type, autocomplete, value, required: !optional });
  if (numeric) input.inputMode = 'numeric';
  const error = element('span', { className: 'error', id: `${name}-${crypto.randomUUID()}` });
  input.setAttribute('aria-describedby', error.id);
  return {
    name,
    input,
    label: element('label', {}, label, input, error),
    complain(message?: string): void {
      input.ariaInvalid = message ? 'true' : null;
      const words =
        type === 'email' ? 'Enter an email address, such as ada@example.org.' : `This ${message}.`;
      error.textContent = message ? words : '';
    },
  };
}
