import { factorsOf } from '../config/factors.ts';
import type { Config } from '../config/schema.ts';
import type { OwnField } from '../contract/own-fields.ts';
import type { FeaturesView } from '../contract/views/features.ts';
import type { Rendering } from '../templates.ts';
import { createLanguages } from '../words/languages.ts';
import { readAssets } from './assets.ts';
import { everyFeaturePage, featurePagesOf, pageVariablesOf } from './of-features.ts';
import { createRenderer } from './render.ts';
import { pagesOf } from './router.ts';

/** Returns a rendering of every page: once with this configuration, and once with every feature and every setting. */
export function samplePages(config: Config, features: FeaturesView): Rendering[] {
  const assets = readAssets();
  const languages = createLanguages(config);
  const ofFeatures = pageVariablesOf(config);
  const everything = {
    config: {
      ...config,
      brandTagline: 'A tagline',
      brandLogoUrl: '/logo.svg',
      themeCssUrl: '/theme.css',
      homeUrl: '/',
      footerLinks: { privacy: { url: '/privacy', label: 'Privacy' } },
      supportContact: 'help@example.org',
      passwordBlocklist: true,
      enableGraphql: true,
      userFields: {
        ...sampleField('string'),
        ...sampleField('number'),
        ...sampleField('boolean'),
        ...sampleField('date'),
      },
      roles: ['editor'],
      mailStore: 'database' as const,
    },
    features: allOn(features),
    ofFeatures: Object.fromEntries(Object.keys(ofFeatures).map(name => [name, true])),
    providers: ['oidc', 'github', 'apple', 'microsoft'].map(kind => ({ name: kind, label: kind, kind })),
  };
  const present = { config, features, ofFeatures, providers: [], own: featurePagesOf(config) };
  return [present, { ...everything, own: everyFeaturePage }].flatMap(({ own, ...parts }) => {
    const hasAuthenticators = own === everyFeaturePage || factorsOf(config).length > 0;
    const pages = pagesOf(parts.features, { ...parts.config, hasAuthenticators }, own);
    const render = createRenderer({ ...parts, pages, assets, languages });
    return languages.offered.flatMap(tag =>
      [...pages, 'not-found'].map(name => () => render(name, languages.of(tag))),
    );
  });
}

/** Returns a field of this type that is named after it. */
const sampleField = (type: OwnField['type']): Record<string, OwnField> => ({
  [type]: { ...{ type, label: type, required: true, maxLength: 200 }, editableBy: 'user', visibleTo: 'user' },
});

const allOn = (features: FeaturesView): FeaturesView => {
  const on = Object.entries(features).map(([name, value]) => [name, value === false ? true : value]);
  return { ...(Object.fromEntries(on) as FeaturesView), mfa_required: 'everyone' };
};
