import type { Config } from '../config/schema.ts';

type Branding = Pick<Config, 'baseUrl' | 'themeCssUrl' | 'brandLogoUrl'>;

/**
 * Returns the security headers of a page. By its Content Security Policy it loads nothing from other sites but the host
 * application's own style and logo; other sites receive no referrer.
 */
export function pageHeaders(config: Branding): Record<string, string> {
  const theme = originOf(config.themeCssUrl, config);
  const logo = originOf(config.brandLogoUrl, config);
  const sources = (...origins: (string | null)[]) =>
    [...new Set(["'self'", ...origins])].filter(Boolean).join(' ');
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': sources(theme),
    'font-src': sources(theme),
    'img-src': sources(theme, logo),
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  };
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([directive, value]) => `${directive} ${value}`)
      .join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
}

/** Returns the origin of an address of the configuration, or null if it is the page's own. */
function originOf(address: string | undefined, { baseUrl }: Branding): string | null {
  if (address === undefined) return null;
  const { origin } = new URL(address, baseUrl);
  return origin === baseUrl ? null : origin;
}
