/** What `svc init` needs to know. */
export interface Answers {
  appName: string;
  baseUrl: string;
  databaseUrl: string;
  /** Features, each by its field, and whether it is on. */
  features: Record<Feature, boolean>;
  mail: MailAnswers;
}

export interface MailAnswers {
  backend: 'console' | 'smtp' | 'ses';
  fromAddress: string;
  smtp?: { host: string; port: string; username: string; password: string };
  sesRegion?: string;
}

export type Feature = keyof typeof features;

/** The features that a set-up decides on, as people call them, with their defaults. */
export const features = {
  require_verification: { label: 'New addresses must be confirmed by mail', byDefault: true },
  allow_registration: { label: 'Anybody may register', byDefault: true },
  enable_password_reset: { label: 'Forgotten passwords can be reset by mail', byDefault: true },
  enable_account_deletion: { label: 'People may delete their accounts', byDefault: true },
  enable_ui_router: { label: 'Ready-made pages: sign-in, registration, account', byDefault: false },
  enable_admin_router: { label: 'Administration for superusers', byDefault: false },
  enable_sms_2fa: { label: 'Second factor by text message', byDefault: false },
  enable_graphql: { label: 'GraphQL beside REST', byDefault: true },
} as const;

export const featureNames = Object.keys(features) as Feature[];

export const defaultAnswers: Answers = {
  appName: 'Gatehouse',
  baseUrl: 'http://localhost:8000',
  databaseUrl: 'sqlite+aiosqlite:///./svc.db',
  features: Object.fromEntries(
    featureNames.map(name => [name, features[name].byDefault]),
  ) as Answers['features'],
  mail: { backend: 'console', fromAddress: 'noreply@localhost' },
};
