const pendingKey = 'lanterns.mfa';
const verifierKey = 'lanterns.verifier';

/** Values that this tab needs once, between two steps. */
const once = (key: string) => ({
  set: (value: string): void => sessionStorage.setItem(key, value),
  take(): string | null {
    const value = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return value;
  },
});

/** The token between a right password and the code on the phone. */
export const pendingLogin = { ...once(pendingKey), peek: () => sessionStorage.getItem(pendingKey) };

/** Proves that who picks an external sign-in up is who began it (RFC 7636). */
export const verifier = once(verifierKey);
