import { hydrateRoot } from 'react-dom/client';
import { application } from './app.ts';

/** What is used of the browser: the types of Node do not know it. */
declare const document: {
  body: { dataset: { door: 'rest' | 'graphql' } };
  title: string;
  querySelector(selectors: string): never;
};

const { door } = document.body.dataset;
const onSessionEnded = () => {
  document.title += ' ended';
};
hydrateRoot(document.querySelector('main'), application('/api/auth', door, onSessionEnded));
