import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from '@rspress/core';
import { sidebarOf } from '../scripts/docs/pages-of-site.ts';

const index = readFileSync(join(import.meta.dirname, '../docs/README.md'), 'utf8');

export default defineConfig({
  root: join(import.meta.dirname, '.pages'),
  outDir: join(import.meta.dirname, 'built'),
  title: 'Gatehouse',
  description: 'Accounts and sign-in for a Node web application',
  lang: 'en',
  globalStyles: join(import.meta.dirname, 'site.css'),
  llms: {
    llmsTxt: ({ title, description, sections }) =>
      [
        `# ${title}\n\n> ${description}\n\nEach page is Markdown at these addresses.`,
        ...sections.map(
          section =>
            `## ${section.title}\n\n${section.pages.map(page => `- [${page.title}](${page.link})`).join('\n')}`,
        ),
      ].join('\n\n'),
  },
  // Its buttons lead to services of others.
  themeConfig: { llmsUI: false, sidebar: { '/': sidebarOf(index) } },
});
