/** Whether the package that counts requests is installed; without it a limit would keep the server from starting. */
export const hasCounter = (): Promise<boolean> =>
  import('rate-limiter-flexible').then(
    () => true,
    () => false,
  );
