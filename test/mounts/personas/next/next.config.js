export default { serverExternalPackages: ['gatehouse-auth'] };
