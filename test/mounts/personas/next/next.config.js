export default { serverExternalPackages: ['gatehouse-auth/dist'] };
