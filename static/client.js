// The names of this module in the version before; a host's own template may load it.
export * from './session.js';
