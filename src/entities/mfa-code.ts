import { defineEntity, type KeyColumn, p, type Stored } from './columns.ts';

/** The purpose of a texted code. */
export type MfaCodeKind = 'phone_setup' | 'login';

/** The one outstanding code of a user and kind; its id is `<userId>:<kind>`, so that a new code replaces the old one. */
export function mfaCode(tableName: string, key: KeyColumn) {
  return defineEntity({
    name: 'MfaCode',
    tableName,
    properties: {
      id: p.text().primary().fieldName(key('id')),
      userId: p.text().index(),
      kind: p.text().$type<MfaCodeKind>(),
      /** The phone that the code was sent to; it confirms no other. */
      phoneNumber: p.text(),
      codeHash: p.text(),
      /** The hash above and the `jti` of the pending token that the code was sent for. */
      boundTo: p.text().nullable(),
      attempts: p.integer(),
      createdAt: p.datetime(3),
      expiresAt: p.datetime(3).index(),
    },
  });
}

export type MfaCode = Stored<ReturnType<typeof mfaCode>>;
