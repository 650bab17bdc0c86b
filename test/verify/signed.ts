import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const issuer = 'https://id.example.org';
export const resource = 'https://api.example.org';
const scopes = ['orders:read', 'orders:write'];

/** The moment of the first request, in milliseconds since 1970. */
export const start = Date.UTC(2031, 0, 2);

/** An issuer in memory: its keys, the requests that it got, and how it answers them. */
export async function createIssuer(algorithm = 'ES256', kid = 'first') {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: 'sig' };
  const requests: string[] = [];
  const state = {
    now: start,
    keys: [jwk] as object[],
    answer: (_: Request): Response | Promise<Response> => Response.json({ keys: state.keys }),
  };

  return {
    jwk,
    requests,
    state,
    privateKey: pair.privateKey,
    options: {
      ...{ issuer, resource, scopes, now: () => state.now },
      fetch: async (request: Request) => {
        requests.push(request.url);
        return state.answer(request);
      },
    },

    /** Returns a token that counts, unless claims or header say something else. */
    sign(claims: JWTPayload = {}, header: object = {}): Promise<string> {
      const iat = Math.floor(state.now / 1000);
      return new SignJWT({
        ...{ iss: issuer, aud: resource, sub: 'ada', jti: '1', iat, exp: iat + 300 },
        ...{ client_id: 'session', scope: 'orders:read', acr: 'aal1', auth_time: iat },
        ...claims,
      })
        .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid, ...header })
        .sign(pair.privateKey);
    },
  };
}
