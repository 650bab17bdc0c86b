import type { AdministrationOperations } from './generated/operations.ts';
import type { Operation } from './operation.ts';
import type { OwnData } from './own.ts';

/** The methods that each module adds to a client. */
interface MethodsOf<Own extends OwnData> {
  administration: AdministrationOperations<Own>;
}

export type ModuleName = keyof MethodsOf<OwnData>;

/** A part of the client that an application loads where it needs it. */
export interface ClientModule<Name extends ModuleName = ModuleName> {
  readonly name: Name;
  readonly operations: readonly Operation[];
}

/** The methods that modules add together. */
export type Added<Name extends ModuleName, Own extends OwnData> = (
  Name extends unknown
    ? (methods: MethodsOf<Own>[Name]) => void
    : never
) extends (methods: infer Methods) => void
  ? Methods
  : unknown;
