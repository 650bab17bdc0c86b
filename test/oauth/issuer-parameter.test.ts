import { describe, expect, test } from 'vitest';
import { metadata } from '../support/stand-in.ts';
import { against, expectNobody, json, type Lies, page, sign, type Told } from './support.ts';

// A provider that has been taken over, among several, hands the browser a response that looks like another's (RFC 9207).
describe('a response that names its issuer', () => {
  const announced = { described: { authorization_response_iss_parameter_supported: true } };
  const iss = ({ issuer }: Told) => `&iss=${encodeURIComponent(issuer)}`;
  const refused: [string, (told: Told) => string][] = [
    ['names another', () => '&iss=https%3A%2F%2Fevil.example'],
    ['names one that differs by a slash', told => `${iss(told)}%2F`],
    ['names two', told => `${iss(told)}&iss=https%3A%2F%2Fevil.example`],
    ['names it twice', told => `${iss(told)}${iss(told)}`],
    ['names an empty one', () => '&iss='],
  ];

  test('signs in, whether the provider announces it or not', async () => {
    for (const lies of [announced, {}]) {
      const told = await against(lies);
      expect(await told.finish(iss(told))).toContain('?id=');
    }
  });

  test.each(refused)('is refused where it %s, and uses the state up', async (_, more) => {
    for (const lies of [announced, {}]) {
      const told = await against(lies);
      expect(await told.finish(more(told))).toBe(page('issuer_mismatch'));
      expect(told.asked).toEqual([]);
      await expectNobody(told);
    }
  });

  // Shows asvs/10.2.2.
  test('is refused where it should name one and does not', async () => {
    const told = await against(announced);
    expect(await told.finish()).toBe(page('issuer_mismatch'));
    expect(told.asked).toEqual([]);
    await expectNobody(told);
  });

  test('is refused by the same word where it says that the sign-in failed', async () => {
    const told = await against(announced);
    const back = async (more: string) => {
      const state = new URL((await told.start()).headers.get('Location')!).searchParams.get('state');
      const path = `/oauth/google/callback?error=access_denied&state=${state}${more}`;
      return (await told.app.rest('GET', path)).headers.get('Location');
    };
    expect(await back(refused[0]![1](told))).toBe(page('issuer_mismatch'));
    expect(await back(iss(told))).toBe(page('oauth_failed'));
    expect(await back('')).toBe(page('oauth_failed'));
  });
});

test('an issuer that ends with a slash is compared as it is, and its identities are found without the slash', async () => {
  const lies: Lies = { idToken: claims => sign({ ...claims, iss: `${claims.iss}/` }) };
  const told = await against(lies);
  const { issuer } = told;
  lies.discovery = json({ ...metadata(issuer), issuer: `${issuer}/` });
  const iss = (text: string) => `&iss=${encodeURIComponent(text)}`;
  expect(await told.finish(iss(issuer))).toBe(page('issuer_mismatch'));
  expect(await told.finish(iss(`${issuer}/`))).toContain('?id=');
  const { oauth_identities } = told.app.gatehouse.repositories;
  const found = await oauth_identities.findBySubject({ name: 'google', issuer }, 'someone');
  expect(found).toMatchObject({ issuer });
});
