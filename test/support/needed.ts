import { inject } from 'vitest';
import type { FoundProgram, SharedServer } from './global-setup.ts';
import type { PartName, ProgramName, ServerName } from './projects.ts';

/** A server or program as this run has it. @throws where the project of the test file does not need it */
export function needed(name: ServerName): SharedServer;
export function needed(name: ProgramName): FoundProgram;
export function needed(name: PartName): SharedServer | FoundProgram {
  const part = inject('needs').includes(name) ? inject('parts')[name] : undefined;
  if (part) return part;
  throw new Error(
    `${name} is not among what the project ${inject('project')} needs in this run: see test/support/projects.ts`,
  );
}

/** Whether this machine cannot have it. */
export const isMissing = (name: PartName): boolean => 'reason' in needed(name as ServerName);
