import { expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

/** What Kubernetes puts into every container of a namespace for a service of this name (Kubernetes, "Service", Discovering services). */
function injected(name: string, port: number, protocol = 'TCP') {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const url = `${protocol.toLowerCase()}://10.96.3.7:${port}`;
  return {
    [`${prefix}_SERVICE_HOST`]: '10.96.3.7',
    [`${prefix}_SERVICE_PORT`]: String(port),
    [`${prefix}_SERVICE_PORT_HTTP`]: String(port),
    [`${prefix}_PORT`]: url,
    [`${prefix}_PORT_${port}_${protocol}`]: url,
    [`${prefix}_PORT_${port}_${protocol}_PROTO`]: protocol.toLowerCase(),
    [`${prefix}_PORT_${port}_${protocol}_PORT`]: String(port),
    [`${prefix}_PORT_${port}_${protocol}_ADDR`]: '10.96.3.7',
  };
}

test.each([
  ['svc', 8000, 'TCP'],
  ['svc-metrics', 9464, 'TCP'],
  ['svc-api-v2', 443, 'UDP'],
  ['svc', 9000, 'SCTP'],
])(
  'the variables that Kubernetes injects for a service named %s do not stop the start',
  (name, port, protocol) => {
    const { config } = load({ env: injected(name, port, protocol) });
    expect([config.port, config.metricsPort]).toEqual([8000, 9464]);
  },
);

test('nor do they hide what is set elsewhere', () => {
  expect(load({ env: injected('svc', 80), toml: 'port = 8123' }).config.port).toBe(8123);
});

test('an address of IPv6 is one, too', () => {
  expect(load({ env: { SVC_PORT: 'tcp://[fd00::7]:8000' } }).config.port).toBe(8000);
});

test('a variable that only looks like them is an error', () => {
  expect(problemOf({ env: { SVC_PORT: 'tcp' } })).toContain('SVC_PORT: must be a whole number');
  expect(problemOf({ env: { SVC_SERVICE: 'x' } })).toContain('SVC_SERVICE: is not a setting');
  expect(problemOf({ env: { SVC_HOST_PORT: '1' } })).toContain('SVC_HOST_PORT: is not a setting');
  expect(problemOf({ secrets: 'SVC_PORT=tcp://10.96.3.7:8000' })).toContain('SVC_PORT: must be a whole');
});
