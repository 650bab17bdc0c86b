import { defineTable, integer, type RowOf, text, time } from './define.ts';

/** The purpose of a texted code. */
export type MfaCodeKind = 'phone_setup' | 'login';

/** The one outstanding code of a user and kind; its id is `<userId>:<kind>`, so that a new code replaces the old one. */
export const mfaCodes = defineTable({
  name: 'MfaCode',
  setting: 'mfa_code_collection',
  usualName: 'mfa_codes',
  description: '… of texted codes',
  columns: {
    id: text().key(),
    userId: text().indexed(),
    kind: text<MfaCodeKind>(),
    /** The phone that the code was sent to; it confirms no other. */
    phoneNumber: text(),
    codeHash: text(),
    /** The hash above and the `jti` of the pending token that the code was sent for. */
    boundTo: text().nullable(),
    attempts: integer(),
    createdAt: time(),
    expiresAt: time().indexed(),
  },
  owner: 'userId',
  ends: { by: 'expiresAt' },
});

export type MfaCode = RowOf<typeof mfaCodes>;
