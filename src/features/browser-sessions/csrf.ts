import { createHmac } from 'node:crypto';
import type { Secret } from '../../config/secret.ts';
import type { Claims } from '../../crypto/claims.ts';
import { isSameText } from '../../crypto/same-text.ts';
import { GatehouseError } from '../../errors.ts';
import type { HttpRequest } from '../../http/message.ts';
import { say } from '../../words/said.ts';

interface Secrets {
  jwtSecret: Secret;
  jwtSecretPrevious?: Secret | undefined;
}

const safeMethods = ['GET', 'HEAD'];

/** Returns the field `_csrf` of a form that the host has parsed. */
function fieldOf({ parsedBody }: HttpRequest): unknown {
  const isRecord = typeof parsedBody === 'object' && parsedBody !== null;
  return isRecord && '_csrf' in parsedBody ? parsedBody._csrf : undefined;
}

/**
 * Tokens against forged requests (CSRF), for forms of the host's own pages: an HMAC of the session's id, so that one of
 * another session, which an attacker may have, is of no use (CONTRACT §15.1).
 */
export function createCsrfTokens({ jwtSecret, jwtSecretPrevious }: Secrets) {
  const [present, ...previous] = [jwtSecret, jwtSecretPrevious]
    .filter(secret => secret !== undefined)
    .map(secret => createHmac('sha256', secret.reveal()).update('gatehouse:csrf').digest());
  const tokenOf = (key: Buffer, { jti }: Pick<Claims, 'jti'>) =>
    createHmac('sha256', key).update(jti).digest('base64url');

  return {
    /** Returns the token of a session. */
    tokenOf: (claims: Pick<Claims, 'jti'>): string => tokenOf(present!, claims),

    /**
     * Rejects a request that may change something and has not the token of its session in `X-CSRF-Token` or `_csrf`.
     * @throws {GatehouseError} forbidden
     */
    assert(request: HttpRequest, claims: Pick<Claims, 'jti'>): void {
      if ([request.method, request.sentMethod].every(method => safeMethods.includes(method))) return;
      const given = request.headers['x-csrf-token'] ?? fieldOf(request);
      const isRight = (key: Buffer) => typeof given === 'string' && isSameText(tokenOf(key, claims), given);
      if ([present!, ...previous].some(isRight)) return;
      const detail = say('error_csrf');
      throw new GatehouseError('forbidden', { detail });
    },
  };
}
