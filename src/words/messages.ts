// Generated from locales/en.arb by `npm run docs`.
import type { Message } from './message-type.ts';

/** Every message, with the types of its values and the names of its tags. */
export interface Messages {
  sms_login: Message<{ app_name: string; code: string }>;
  sms_phone_setup: Message<{ app_name: string; code: string }>;
  console_overview_tab: Message;
  console_overview_title: Message;
  console_overview_since: Message<object, 'time'>;
  console_overview_sign_ins: Message;
  console_overview_refusals: Message;
  console_overview_refusals_hint: Message;
  console_overview_lockouts: Message;
  console_overview_dead: Message;
  console_overview_webhooks: Message;
  console_overview_loading: Message;
  console_overview_failure: Message;
  console_overview_retry: Message;
  page_not_found_title: Message;
  page_not_found_lead: Message;
  page_not_found_account: Message;
  page_not_found_home: Message<{ app_name: string }>;
}
