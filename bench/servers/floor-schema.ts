// The part of the GraphQL schema that the session check of `bench/shots.ts` asks for, for bare GraphQL servers.
export const typeDefs = `
  type Query { me: User! }
  type User {
    id: ID!
    email: String!
    fullName: String
    phoneNumber: String
    isActive: Boolean!
    isVerified: Boolean!
    isSuperuser: Boolean!
    isMfaEnabled: Boolean!
    createdAt: String!
    updatedAt: String!
    lastLogin: String
    tokensInvalidatedAfter: String
  }
`;

/** A row of the database as the schema has it. */
export function asUser(row: object): Record<string, unknown> {
  const user: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row))
    user[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())] = value;
  return user;
}
