import { hydrateRoot } from 'react-dom/client';
import { application } from './app.ts';

/** The parts of the browser that are used: the types of Node do not have them. */
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
