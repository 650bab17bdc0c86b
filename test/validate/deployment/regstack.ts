import { execFile } from 'node:child_process';
import { findPythonPackages, pythonEnvironment } from '../../support/python-packages.ts';

/** The probe, and the HTTP client that it needs and does not ask for. */
const packages = ['regstack==0.9.3', 'httpx==0.28.1'];

/** Runs RegStack's published probe with these arguments, or says why it cannot be had. */
export type Regstack = ((args: string[]) => Promise<{ code: number; output: string }>) | { reason: string };

/** Finds the probe, fetching it when it is not there yet. */
export async function findRegstack(): Promise<Regstack> {
  try {
    const folder = await findPythonPackages('regstack-0.9.3', packages);
    return args => probe(folder, args);
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

function probe(folder: string, args: string[]): Promise<{ code: number; output: string }> {
  const env = pythonEnvironment(folder);
  return new Promise(resolve => {
    execFile('python3', ['-m', 'regstack.cli', 'validate', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}
