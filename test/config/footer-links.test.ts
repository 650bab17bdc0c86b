import { expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

const linksOf = (toml: string) => Object.entries(load({ toml }).config.footerLinks);

test('links stand in the order in which the file names them', () => {
  const toml = ['terms', 'imprint', 'privacy', 'a11y']
    .map(name => `[footer_links.${name}]\nurl = "/${name}"\nlabel = "Our ${name}"\n`)
    .join('');
  expect(linksOf(toml)).toEqual(
    ['terms', 'imprint', 'privacy', 'a11y'].map(name => [name, { url: `/${name}`, label: `Our ${name}` }]),
  );
});

test('there are none by default, and a program may set them', () => {
  expect(linksOf('')).toEqual([]);
  const footerLinks = { privacy: { url: 'https://www.example.org/privacy', label: 'Privacy' } };
  expect(load({ arguments: { footerLinks } }).config.footerLinks).toEqual(footerLinks);
});

test.each(['javascript:alert(1)', '//evil.example/', 'privacy', 'mailto:x@example.org'])(
  'a link leads to no place but a path or a web page: %s',
  url => {
    expect(problemOf({ toml: `[footer_links.privacy]\nurl = "${url}"\nlabel = "Privacy"\n` })).toBe(
      'svc.toml: footer_links.privacy.url: must be a path such as /privacy, or an http or https URL',
    );
  },
);

test.each(['1', '2nd', 'with space'])('a name that would change the order is refused: %s', name => {
  expect(problemOf({ toml: `[footer_links."${name}"]\nurl = "/x"\nlabel = "X"\n` })).toBe(
    `svc.toml: footer_links.${name}: must have a name of letters, digits, hyphens and underscores that begins with a letter`,
  );
});
