// Generated from locales/en.arb by `npm run docs`.
import type { Message } from './message-type.ts';

/** Every message, with the types of its values and the names of its tags. */
export interface Messages {
  sms_login: Message<{ app_name: string; code: string }>;
  sms_phone_setup: Message<{ app_name: string; code: string }>;
  page_not_found_title: Message;
  page_not_found_lead: Message;
  page_not_found_account: Message;
  page_not_found_home: Message<{ app_name: string }>;
}
