/** `['email', 'smtp_port']` → `SVC_EMAIL__SMTP_PORT` */
export const environmentName = (path: readonly string[]) => `SVC_${path.join('__').toUpperCase()}`;
