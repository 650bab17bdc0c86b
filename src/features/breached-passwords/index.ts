import { line, outsideOfTests, secureUrl } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';

/** New passwords must be unknown from data breaches (CONTRACT §11.1). On while the configuration says where to look. */
export const breachedPasswords = defineFeature({
  settings: outsideOfTests({
    password_breach_check: line()
      .default('off')
      .describe(
        'Whether new passwords must be unknown from breaches: `off`, `online`, or the path of a filter file',
      ),
    password_breach_url: secureUrl()
      .default('https://api.pwnedpasswords.com/range')
      .describe('The range service of `online`; five digits of a SHA-1 follow after a slash'),
  }),
  isOn: ({ passwordBreachCheck }: { passwordBreachCheck: string }) => passwordBreachCheck !== 'off',
  load: () => import('./open.ts'),
  commands: () => import('./build-command.ts'),
});
