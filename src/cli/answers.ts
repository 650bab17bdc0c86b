import { featuresAsked } from '../feature-parts.ts';
import type { OAuthSettings } from './merge-files.ts';

/** The answers that `svc init` needs. */
export interface Answers {
  appName: string;
  baseUrl: string;
  /** Where people find help, an address or a page; empty if there is none yet. */
  supportContact: string;
  databaseUrl: string;
  /** How long people stay signed in. */
  stay: Stay;
  /** Whether each feature is on, by the name of its field. */
  features: Record<Feature, boolean>;
  /** The identity providers that people may sign in with. */
  providers: readonly OAuthSettings[];
  mail: MailAnswers;
}

/**
 * How long people stay signed in: the lifetime of a session, and after how long without use it ends, in seconds
 * (docs/sessions.md).
 */
export const stays = {
  hours: { label: 'Two hours: for what is worth stealing', lifetime: 7200, idle: 0 },
  day: { label: 'A day: for work', lifetime: 86_400, idle: 0 },
  month: { label: 'Thirty days, and a week without use ends it', lifetime: 2_592_000, idle: 604_800 },
} as const;
export type Stay = keyof typeof stays;

export interface MailAnswers {
  backend: 'console' | 'smtp' | 'ses';
  fromAddress: string;
  smtp?: { host: string; port: string; username: string; password: string };
  sesRegion?: string;
}

export type Feature = keyof typeof features;

/** The features that a set-up decides on, under their names for people, with their defaults. */
export const features = {
  require_verification: { label: 'New addresses must be confirmed by email', byDefault: true },
  allow_registration: { label: 'Anybody may register', byDefault: true },
  enable_password_reset: { label: 'Forgotten passwords can be reset by email', byDefault: true },
  enable_account_deletion: { label: 'People may delete their accounts', byDefault: true },
  enable_ui_router: { label: 'Ready-made pages: sign-in, registration, account', byDefault: false },
  enable_admin_router: { label: 'Administration for superusers', byDefault: false },
  enable_sms_2fa: { label: 'Second factor by text message', byDefault: false },
  ...featuresAsked,
  replace_session_at_sign_in: { label: 'A sign-in ends the session before it', byDefault: true },
  recent_sign_in_for_administration: { label: 'Administration needs a recent sign-in', byDefault: true },
  email_change_needs_account: {
    label: 'A new address needs the session or password of its account',
    byDefault: true,
  },
  recent_sign_in_for_links: { label: 'Linking an identity needs a recent sign-in', byDefault: true },
  password_blocklist: { label: 'Common passwords and own names are refused', byDefault: true },
  enable_session_list: { label: 'People see their sessions', byDefault: true },
  enable_graphql: { label: 'GraphQL in addition to REST', byDefault: true },
} as const;

export const featureNames = Object.keys(features) as Feature[];

export const defaultAnswers: Answers = {
  appName: 'Gatehouse',
  baseUrl: 'http://localhost:8000',
  supportContact: '',
  databaseUrl: 'sqlite:///./svc.db',
  stay: 'hours',
  features: Object.fromEntries(
    featureNames.map(name => [name, features[name].byDefault]),
  ) as Answers['features'],
  providers: [],
  mail: { backend: 'console', fromAddress: 'noreply@localhost' },
};

/** The databases to choose from, with the address that is suggested. */
export const databases = {
  sqlite: { label: 'SQLite: a file, nothing to install', url: defaultAnswers.databaseUrl },
  postgresql: { label: 'PostgreSQL', url: 'postgresql://svc:PASSWORD@localhost:5432/svc' },
  mongodb: { label: 'MongoDB', url: 'mongodb://localhost:27017/svc' },
};
