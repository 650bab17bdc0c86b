import { isIP } from 'node:net';
import { z } from 'zod';
import type { TogetherProblem } from '../../config/prefixes.ts';
import { defaultBaseUrl, flag, list, origin } from '../../config/schema/fields.ts';
import type { Given } from '../../feature.ts';

/** The `[passkeys]` table. */
const passkeys = z.strictObject({
  rp_id: z
    .string('must be a string')
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain in lower case, such as example.org')
    .optional()
    .describe('Domain that passkeys belong to (the relying party id); the host of `base_url` when unset'),
  origins: list(origin()).describe('Further origins whose pages may use passkeys, beside that of `base_url`'),
});

export const settings = {
  enable_passkeys: flag(false).describe(
    'Passkeys (WebAuthn): sign-in without a password, and a second factor',
  ),
  passkeys: passkeys.prefault({}),
};

/** The part of the configuration that is about passkeys. */
export interface PasskeySettings {
  enablePasskeys: boolean;
  baseUrl: string;
  passkeys: { rpId?: string | undefined; origins: string[] };
}

/** The site that passkeys belong to. */
export interface RelyingParty {
  rpId: string;
  /** That of `base_url` among them. */
  origins: string[];
}

/** Returns the relying party, which is the site of `base_url` where nothing else is set. */
export function derive({ baseUrl, passkeys: { rpId, origins } }: PasskeySettings): {
  passkeys: RelyingParty;
} {
  return {
    passkeys: {
      rpId: rpId ?? new URL(baseUrl).hostname,
      origins: [...new Set([baseUrl, ...origins])],
    },
  };
}

/**
 * Returns a problem when browsers would refuse passkeys of this relying party on the pages of `base_url`: it must be their
 * host or a domain above it (WebAuthn Level 3 §5.1.3), and more than a top-level domain.
 */
export function problemsOf({
  enable_passkeys: isOn,
  base_url: baseUrl = defaultBaseUrl,
  passkeys,
}: Given): TogetherProblem[] {
  if (isOn !== true) return [];
  const { rp_id: rpId } = (passkeys ?? {}) as Record<string, unknown>;
  if (typeof rpId !== 'string' || typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return [];
  const { hostname } = new URL(baseUrl);
  const isSuffix = hostname.endsWith(`.${rpId}`) && rpId.includes('.') && isIP(hostname) === 0;
  if (rpId === hostname || isSuffix) return [];
  const message = `must be the host of base_url, ${hostname}, or a domain above it, such as example.org for accounts.example.org`;
  return [{ path: ['passkeys', 'rp_id'], message }];
}

/** Returns a warning where browsers offer no passkeys: on an address without a name. */
export function warningsOf({ enablePasskeys, baseUrl }: PasskeySettings): string[] {
  const { hostname } = new URL(baseUrl);
  if (!enablePasskeys || isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return [];
  return [
    `base_url is ${baseUrl}: browsers offer passkeys on a domain name or localhost, not on an address.`,
  ];
}
