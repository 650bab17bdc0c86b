const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Why this Node cannot run Gatehouse; null if it can. */
export const unfitNode: string | null =
  major < 22 || (major === 22 && minor < 18)
    ? `needs Node 22.18 or newer; this is Node ${process.versions.node}.`
    : null;
