import type { CDPSession, Page } from 'playwright-core';

/** A virtual authenticator of Chromium (WebAuthn Level 3 §11), attached to one page. */
export interface VirtualAuthenticator {
  /** The credentials that it holds. */
  credentials(): Promise<
    { credentialId: string; rpId?: string; signCount: number; isResidentCredential: boolean }[]
  >;
  /** Whether its user passes user verification from now on. */
  verifies(isVerified: boolean): Promise<void>;
}

interface Traits {
  /** Default: true. */
  hasUserVerification?: boolean;
  /** Whether its passkeys are synchronised. Default: false. */
  isSynced?: boolean;
}

/** Attaches an authenticator with resident keys to a page. */
export async function attachAuthenticator(
  page: Page,
  { hasUserVerification = true, isSynced = false }: Traits = {},
): Promise<VirtualAuthenticator> {
  const client: CDPSession = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification, isUserVerified: hasUserVerification },
      ...{
        automaticPresenceSimulation: true,
        defaultBackupEligibility: isSynced,
        defaultBackupState: isSynced,
      },
    },
  });
  return {
    async credentials() {
      return (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
    },
    async verifies(isUserVerified) {
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}
