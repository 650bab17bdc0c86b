import { type App, type Member, type RequestOptions, signUp } from '../../support/app.ts';

/** The settings of a subgraph whose schema can be read. */
export const settings = { enableFederation: true, graphqlIntrospection: true };

const selection = '{ __typename ... on User { id email fullName isSuperuser reportedAt lockedUntil } }';

/** A reference to an account. */
export const userOf = (id: unknown) => ({ __typename: 'User', id });

/** Asks for entities as a gateway does. */
export const entities = (
  app: App,
  representations: unknown,
  options: RequestOptions = {},
  selected = selection,
) =>
  app.graphql(
    `query ($representations: [_Any!]!) { _entities(representations: $representations) ${selected} }`,
    { representations },
    options,
  );

/** Signs somebody up who is a superuser. */
export async function superuser(app: App): Promise<Member> {
  const admin = await signUp(app);
  await app.gatehouse.repositories.users.change(admin.id, { set: { isSuperuser: true } });
  return admin;
}
