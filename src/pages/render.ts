import type { Config } from '../config/schema.ts';
import type { FeaturesView } from '../services/views.ts';
import { createTemplates } from '../templates.ts';
import { type Asset, addressOf } from './assets.ts';

export interface RenderParts {
  config: Pick<
    Config,
    | 'apiPrefix'
    | 'uiPrefix'
    | 'staticPrefix'
    | 'extraTemplateDirs'
    | 'themeCssUrl'
    | 'brandLogoUrl'
    | 'brandTagline'
    | 'smsCodeLength'
  >;
  features: FeaturesView;
  /** The names of the pages that are there. */
  pages: string[];
  /** Names of the identity providers that can be used: `google`. */
  providers: string[];
  assets: Map<string, Asset>;
}

/**
 * Renders `pages/<name>.liquid`. A page says nothing of any request or user, so each is rendered once. The filter
 * `asset` turns the name of a static file into its address.
 */
export function createRenderer({ config, features, pages, providers, assets }: RenderParts) {
  const asset = (name: string) => {
    const found = assets.get(name);
    return `${config.staticPrefix}/${found ? addressOf(found) : name}`;
  };
  const { extraTemplateDirs } = config;
  const template = createTemplates({ extraTemplateDirs, form: 'markup', filters: { asset } });
  const variables = {
    app_name: features.app_name,
    features,
    pages,
    providers,
    api: config.apiPrefix,
    ui: config.uiPrefix,
    theme_css_url: config.themeCssUrl,
    brand_logo_url: config.brandLogoUrl,
    brand_tagline: config.brandTagline,
    code_length: config.smsCodeLength,
  };
  const rendered = new Map<string, Promise<Buffer>>();

  return function render(name: string): Promise<Buffer> {
    const page =
      rendered.get(name) ??
      template(`pages/${name}.liquid`, { ...variables, page: name }).then(html => Buffer.from(html));
    rendered.set(name, page);
    // What could not be read now may be there at the next request.
    page.catch(() => rendered.delete(name));
    return page;
  };
}
