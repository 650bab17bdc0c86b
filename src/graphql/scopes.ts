import type { AccessKind, OpenCall } from '../domain/operation.ts';

/** The access that a field requires, unless anyone may read it. */
type Scope = Exclude<AccessKind, 'anyone'>;

/** Returns true for an admitted caller and throws the reason otherwise; the operation records the refusal. */
const admit = async (call: OpenCall): Promise<boolean> => {
  await call.admit();
  return true;
};

/**
 * The scopes of the fields. Both paths ask here: scope-auth in the server package, and the plans of known documents. The
 * call itself decides whether its caller is admitted.
 */
export const scopes: Record<Scope, typeof admit> = { session: admit, person: admit, superuser: admit };
