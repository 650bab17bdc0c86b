/**
 * Values of the fields whose schemas have no example of their own, by name: such as a server answers them, so that a reader
 * sees what to expect. A flag that is not here is false.
 */
export const fieldExamples: Readonly<Record<string, unknown>> = {
  ...{ app_name: 'Gatehouse', password_min_length: 8, max_length: 200, label: 'Google', name: 'google' },
  ...{ registration: true, verification_required: true, password_reset: true, account_deletion: true },
  ...{ oauth: true, totp: true, passkeys: true, session_list: true, activity: true, not_me: true },
  ...{ full_name: 'Ada Lovelace', phone_number: '+4915112345678', is_active: true, is_verified: true },
  ...{
    access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTljMGEyYiJ9.kN2vZ4t8',
    expires_in: 7200,
  },
  ...{ pending_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIwMTljMGEyYiJ9.Qx7Lr0sM' },
  ...{ id: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081', session_id: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081' },
  ...{ recovery_codes_left: 10, recovery_codes: 'k7m2p-x9q4w', is_synced: true, has_password: true },
  ...{ ip: '203.0.113.7', device: 'Firefox on Linux', method: 'password', is_current: true, ended: 2 },
  ...{ authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=…', available: 'google' },
  ...{ redirect_to: '/account', provider: 'google', issuer: 'https://accounts.google.com', amr: 'pwd' },
  ...{ acr: 'urn:mace:incommon:iap:silver', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  ...{ total_users: 1280, active_users: 1270, verified_users: 1265, superusers: 2, pending_registrations: 4 },
  ...{
    total: 1,
    limit: 50,
    invite: true,
    purpose: 'verification',
    recipient: 'ad…@example.org',
    attempts: 1,
  },
  ...{ last_error: 'the mail server refused the connection', next_cursor: 'MDE5YzBhMmItNWQzZS03ZjEw' },
  ...{ operation: 'login', code: 'invalid_credentials', changes: 'full_name', count: 1 },
  ...{ actor: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081', actor_email: 'ada@example.org' },
  ...{ subject: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081', subject_email: 'ada@example.org' },
  ...{ request_id: '019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7082', secret: 'JBSWY3DPEHPK3PXP', qr_svg: '<svg …>' },
  ...{ otpauth_url: 'otpauth://totp/Gatehouse:ada%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=Gatehouse' },
  ...{ password: 'correct horse battery', new_password: 'a new horse battery', password_needed: true },
  ...{ origin: 'https://example.org', events: 'user_registered', waiting: 3, dead: 1, replayed: 1 },
  ...{ off_reason: 'the endpoint answered 410', is_taken: true, problem: 'the endpoint answered 500' },
  default_locale: 'en',
  ...{ milliseconds: 84, message: 'They will be tried again.' },
};
