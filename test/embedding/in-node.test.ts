import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { AnyUser, createUserViews, type NodeUser } from '../../src/contract/views/account.ts';
import { time } from '../../src/contract/views/fields.ts';
import { MfaChallengeView, SessionView } from '../../src/contract/views/sign-in.ts';
import { newUser } from '../../src/domain/new-user.ts';
import { type Events, eventInNode, type WireEvents } from '../../src/events.ts';
import { type InNode, inNode } from '../../src/in-node.ts';

const at = '2031-05-06T07:08:09.123Z';
const own = { label: '', required: false, maxLength: 100, editableBy: 'user', visibleTo: 'user' } as const;

const views = createUserViews({
  userFields: { line_2: { ...own, type: 'string' }, born: { ...own, type: 'date' } },
  roles: ['editor'],
});

/** A user whose texts look like names and times of the wire. */
const user = newUser(new Date(at), {
  ...{ email: 'ada@example.org', fullName: at, hashedPassword: 'x', isVerified: true },
  ...{ fields: { line_2: at, born: '1815-12-10' }, roles: ['editor'], lastLogin: new Date(at) },
});

describe('the translation for Node', () => {
  test('gives members names in camelCase and times as Date, by the schema and not by what a text looks like', () => {
    const Item = z.object({ is_new: z.boolean(), last_seen_at: time.nullable(), some_text: z.string() });
    const View = z.object({ all_items: z.array(Item), first_item: Item.optional(), next_cursor: time });
    const item = { is_new: true, last_seen_at: at, some_text: at };
    const wire = { all_items: [item, { ...item, last_seen_at: null }], next_cursor: at };
    const inside = { isNew: true, lastSeenAt: new Date(at), someText: at };
    expect(inNode(View, wire)).toEqual({
      allItems: [inside, { ...inside, lastSeenAt: null }],
      nextCursor: new Date(at),
    });
    expectTypeOf<InNode<typeof View>>().toEqualTypeOf<{
      allItems: { isNew: boolean; lastSeenAt: Date | null; someText: string }[];
      firstItem?: { isNew: boolean; lastSeenAt: Date | null; someText: string } | undefined;
      nextCursor: Date;
    }>();
  });

  test('is typed: nothing of the wire is left in what a host gets', () => {
    expectTypeOf<NodeUser['lastLogin']>().toEqualTypeOf<Date | null>();
    expectTypeOf<NodeUser>().not.toHaveProperty('full_name');
    expectTypeOf<Events['email_changed']['user']>().toEqualTypeOf<NodeUser>();
    expectTypeOf<keyof Events['email_change_requested']>().toEqualTypeOf<
      'user' | 'newEmail' | 'url' | 'urlWithoutToken'
    >();
    expectTypeOf<Events['audit']['at']>().toEqualTypeOf<Date>();
    expectTypeOf<Events['authenticator_added']['authenticator']['createdAt']>().toEqualTypeOf<Date>();
  });

  test('keeps the name that the specification gives, beside the other', () => {
    const event = {
      user: views.toUserPublic(user),
      provider: 'google',
      mode: 'signin',
      was_new: true,
    } as const;
    const { was_new, wasNew } = eventInNode('oauth_signin_completed', event);
    expect([was_new, wasNew]).toEqual([true, true]);
  });

  test('leaves the names and the values of own fields alone', () => {
    expect(inNode(AnyUser, views.toUserPublic(user))).toMatchObject({
      fields: { line_2: at, born: '1815-12-10' },
      roles: ['editor'],
      fullName: at,
      createdAt: new Date(at),
    });
  });

  test('gives guards, from the row, what it gives from the view', () => {
    for (const shown of [views, createUserViews({ userFields: {}, roles: [] })]) {
      for (const level of ['user', 'admin', 'host'] as const) {
        const fromRow = shown.toNodeUser(user, level);
        expect(fromRow).toEqual(inNode(AnyUser, shown.toUserPublic(user, level)));
        expect(fromRow.createdAt).not.toBe(user.createdAt);
      }
    }
  });

  test('knows each member of a union', () => {
    const Either = z.union([SessionView, MfaChallengeView]);
    const session = { access_token: 'x', token_type: 'bearer', expires_in: 60 } as const;
    expect(inNode(Either, session)).toEqual({ accessToken: 'x', tokenType: 'bearer', expiresIn: 60 });
  });

  test('takes what another version has stored: more members, and fewer', () => {
    const { phone_number: _, ...older } = views.toUserPublic(user);
    const stored = { user: { ...older, shoe_size: 44 }, added_later: { inner_name: 1 } };
    const event = eventInNode('user_verified', stored as unknown as WireEvents['user_verified']);
    expect(event).toMatchObject({ user: { isActive: true, shoeSize: 44 }, addedLater: { inner_name: 1 } });
    expect(event.user).not.toHaveProperty('phoneNumber');
  });
});
