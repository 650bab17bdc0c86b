import { GatehouseError } from '../errors.ts';

/** The option that sets a field of an operation. */
interface Given {
  option: string;
  /** The value at the command line. */
  value?: string | number | readonly string[] | undefined;
  /** All that may be given. */
  choices?: readonly string[];
}

/**
 * Does the work of a command. Its errors of input name the options, with what was given, in place of the fields.
 * @param given the options by the names of their fields
 */
export async function namingOptions<T>(
  given: Readonly<Record<string, Given>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatehouseError) || !error.errors) throw error;
    const errors = error.errors.map(each => {
      const [field = '', item = ''] = each.path.split('.');
      const source = given[field];
      if (!source) return each;
      const { option, value, choices } = source;
      const one = Array.isArray(value) ? value[Number(item)] : value;
      const named = one === undefined || one === '' ? option : `${option} ${one}`;
      const ending = choices ? `; there are: ${choices.join(', ')}` : '';
      return { ...each, path: `${named}:`, message: each.message + ending };
    });
    throw new GatehouseError(error.code, { errors, cause: error });
  }
}
