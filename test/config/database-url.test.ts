import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { load, problemOf } from './support.ts';

const problemWith = (name: string, text: string) => problemOf({ env: { [name]: text } });

describe('database URLs', () => {
  test.each([
    ['sqlite+aiosqlite:///./svc.db', { backend: 'sqlite', path: './svc.db' }],
    ['sqlite+aiosqlite:////srv/svc.db', { backend: 'sqlite', path: '/srv/svc.db' }],
    ['sqlite+aiosqlite:///:memory:', { backend: 'sqlite', path: ':memory:' }],
    ['sqlite:///svc.db', { backend: 'sqlite', path: 'svc.db' }],
    ['postgresql+asyncpg://u:p@h:5432/db', { backend: 'postgresql', url: 'postgresql://u:p@h:5432/db' }],
    ['postgres://u:p@h/db', { backend: 'postgresql', url: 'postgresql://u:p@h/db' }],
    ['postgresql://u:p@h/db', { backend: 'postgresql', url: 'postgresql://u:p@h/db' }],
    ['mongodb://h/db', { backend: 'mongodb', url: 'mongodb://h/db', database: 'db' }],
    ['mongodb://a:1,b:2/?replicaSet=r', { backend: 'mongodb', database: 'fallback' }],
    ['mongodb+srv://u:p@h/my%2Ddb?w=1', { backend: 'mongodb', database: 'my-db' }],
  ])('%s is understood', (url, expected) => {
    expect(parseDatabaseUrl(url, 'fallback')).toMatchObject(expected);
    expect(load({ env: { SVC_DATABASE_URL: url } }).config.databaseUrl.reveal()).toBe(url);
  });

  test.each([
    'postgresql+psycopg2',
    'postgresql+psycopg',
    'mysql',
    'mysql+aiomysql',
    'sqlite+pysqlite',
    'redis',
  ])('the scheme %s names a driver that is not there', scheme => {
    expect(problemWith('SVC_DATABASE_URL', `${scheme}://user:hunter2@h/db`)).toBe(
      `environment: SVC_DATABASE_URL: has the scheme ${scheme}, which names a driver that is not supported: use ` +
        'sqlite:///PATH, postgresql://…, mongodb://… or mongodb+srv://…',
    );
  });

  test.each([
    ...['svc.db', './svc.db', '', 'sqlite+aiosqlite:', 'sqlite+aiosqlite:///', 'sqlite+aiosqlite:svc.db'],
    ...['postgresql+asyncpg://', 'postgresql+asyncpg://u:hunter2@h', 'postgresql+asyncpg://u:hunter2@h/'],
    ...['postgresql+asyncpg://u:hunter2%zz@h/db', 'postgresql+asyncpg://u:hunter2/4@h/db'],
    ...[
      'mongodb://',
      'mongodb:h/db',
      'mongodb://u:hunter2/4@h/db',
      'mongodb://h/hunter2%zz',
      'mongodb://h/a.b',
    ],
    ...['mongodb://u:hunter2%zz@h/db', 'hunter2:x', '//u:hunter2@h/db'],
  ])('%j is refused without being quoted', url => {
    const problem = problemWith('SVC_DATABASE_URL', url);
    expect(problem).toMatch(/^environment: SVC_DATABASE_URL: (must|can't|has)/);
    expect(problem).not.toContain('hunter2');
  });
});

test.each(['a/b', 'a.b', 'a b', '', '$a'])('%j is no name of a MongoDB database', name => {
  expect(problemWith('SVC_MONGODB_DATABASE', name)).toContain('SVC_MONGODB_DATABASE: ');
});
