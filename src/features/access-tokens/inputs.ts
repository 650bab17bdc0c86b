import { z } from 'zod';
import { signingAlgorithms } from '../../config/schema/resources.ts';
import { field } from '../../contract/inputs/refused.ts';
import { acrValues } from '../../domain/acr.ts';
import { signingAlgorithm } from './views.ts';

/** One or more texts, none of them twice. */
export const texts = () =>
  z
    .array(z.string().min(1, { error: field('required'), abort: true }))
    .min(1, { error: field('required'), abort: true })
    .refine(names => new Set(names).size === names.length, field('twice'));

export const IssueAccessTokenInput = z.strictObject({
  resource: z.string().min(1, field('required')).describe('The identifier of the API that the token is for.'),
  scopes: texts().nullish().describe('Scopes of it; all of them when left out.'),
  acr_values: texts()
    .refine(names => names.some(name => (acrValues as readonly string[]).includes(name)), field('acr_values'))
    .nullish()
    .describe('The strengths of the sign-in that are enough: `aal1`, `aal2`, `phr`. A stronger one is, too.'),
  max_age: z
    .int()
    .min(0, field('too_small__negative'))
    .nullish()
    .describe('The greatest age of the sign-in, in seconds.'),
});

export const RotateSigningKeysInput = z.strictObject({
  algorithm: z
    .enum(signingAlgorithms)
    .meta(signingAlgorithm)
    .nullish()
    .describe('Whose key is replaced; those of every algorithm when left out.'),
  force: z
    .boolean()
    .nullish()
    .describe('Whether a key may sign that services may not know yet: they refuse its tokens until they do.'),
});
