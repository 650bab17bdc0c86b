/** An API that checks tokens. */
export const api = {
  identifier: 'https://api.example.org',
  label: 'Orders',
  scopes: { 'orders:read': 'See your orders', 'orders:write': 'Change your orders' },
};
