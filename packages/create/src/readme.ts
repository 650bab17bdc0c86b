import type { Database, Template } from './catalogue.ts';

/** Returns the README of a project: the commands, and where to go on. */
export const readmeOf = (
  name: string,
  { label, origin, guarded }: Template,
  database: Database,
): string => `# ${name}

A web application (${label}) in which people register and sign in, with Gatehouse (\`gatehouse-auth\`) on ${database.label.split(':')[0]}.

\`\`\`sh
npm install
npm run dev     # emails are printed, with their links
npm test
\`\`\`

Open <${origin}${guarded}>: it asks for a session. Choose "Create an account", open the link in the printed email, and sign in.

| file              | holds                                                                                |
| ----------------- | ------------------------------------------------------------------------------------ |
| \`svc.toml\`        | settings; \`base_url\` is the public address                                           |
| \`svc.secrets.env\` | the signing secret, the data key, the database's address: never commit it, back it up |
| \`AGENTS.md\`       | how to guard routes, test, and ask for more, for coding agents and people            |

Before you go live: \`npx gatehouse-auth validate\`, and \`node_modules/gatehouse-auth/docs/production-checklist.md\`.
`;
