/** Gatehouse runs as an ordinary package of Node; it is not bundled. */
export default { serverExternalPackages: ['gatehouse-auth'] };
