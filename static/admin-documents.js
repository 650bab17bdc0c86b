// A host's own template of the version before loads this module; the client has its documents now.
export {};
