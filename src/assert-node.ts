// Imported before everything else of an entry point: drivers in native code end an older Node without a word.
import { unfitNode } from './node-version.ts';

if (unfitNode !== null) throw new Error(`gatehouse-auth ${unfitNode}`);
