import { fromBase32, hotp, stepAt } from '../../../src/features/authenticator-apps/codes.ts';
import { type Calls, post, type Site, signedIn, unverified } from '../../doors/site.ts';
import { authenticatorAdded, mutation } from '../../support/operations.ts';

async function startTotp(site: Site) {
  const { id, secret } = await post(site, '/totp/start', {}, site.member.token);
  return { id: id as string, code: hotp(fromBase32(secret), stepAt(site.app.clock.now())) };
}

export const operations = {
  startTotpSetup: mutation('POST /totp/start', 'startTotpSetup', null, '{ id secret otpauthUrl qrSvg }'),
  confirmTotpSetup: mutation(
    'POST /totp/confirm',
    'confirmTotpSetup',
    'ConfirmTotpSetupInput!',
    authenticatorAdded,
  ),
};

export const calls: Calls<typeof operations> = {
  startTotpSetup: { good: signedIn(), bad: unverified },
  confirmTotpSetup: {
    good: async site => ({ token: site.member.token, input: await startTotp(site) }),
    bad: async site => ({ token: site.member.token, input: { ...(await startTotp(site)), code: '0000000' } }),
  },
};
