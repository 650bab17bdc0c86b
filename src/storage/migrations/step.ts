import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';
import type { Step } from '../schema-state.ts';

export type SqlBackend = 'sqlite' | 'postgresql';

/** A step of the SQL schema. */
export interface SqlStep extends Step {
  class: Constructor<Migration>;
}
