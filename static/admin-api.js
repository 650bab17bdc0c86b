// What the console asks the service, over GraphQL alone.
import { graphql } from './client.js';

const row = 'id email fullName isActive isVerified isSuperuser isMfaEnabled createdAt lastLogin';
const user = `id email fullName phoneNumber isActive isVerified isSuperuser isMfaEnabled
  createdAt updatedAt lastLogin tokensInvalidatedAfter`;
const page = 'totalCount pageInfo { hasNextPage endCursor }';

const change = (field, type, answer) => {
  const document = `mutation ($input: ${type}!) { it: ${field}(input: $input) { ${answer} } }`;
  return input => ask(document, { input });
};
const onUser = (field, answer) => {
  const ask = change(field, 'AdminUserInput', answer);
  return id => ask({ id });
};

/** Each operation answers what its field answers. @throws {Problem} */
export const api = {
  me: () => ask('{ it: me { id email isSuperuser } }'),
  stats: () =>
    ask('{ it: adminStats { totalUsers activeUsers verifiedUsers superusers pendingRegistrations } }'),
  users: variables =>
    ask(
      `query ($first: Int, $after: String, $search: String,
        $isActive: Boolean, $isVerified: Boolean, $isSuperuser: Boolean, $isMfaEnabled: Boolean) {
        it: users(first: $first, after: $after, search: $search, isActive: $isActive, isVerified: $isVerified,
          isSuperuser: $isSuperuser, isMfaEnabled: $isMfaEnabled) { ${page} nodes { ${row} } } }`,
      variables,
    ),
  user: id => ask(`query ($id: ID!) { it: user(id: $id) { ${user} } }`, { id }),
  update: change('adminUpdateUser', 'AdminUpdateUserInput', user),
  remove: onUser('adminDeleteUser', 'message'),
  resendVerification: onUser('adminResendVerification', 'message'),
  unlock: onUser('adminUnlock', 'message'),
  revokeSessions: onUser('adminRevokeSessions', user),
  disablePhone: onUser('adminDisablePhone', user),
  pending: variables =>
    ask(
      `query ($first: Int, $after: String, $search: String) {
        it: pendingRegistrations(first: $first, after: $after, search: $search) {
          ${page} nodes { email fullName createdAt expiresAt } } }`,
      variables,
    ),
  resendLink: change('resendVerification', 'ResendVerificationInput', 'message'),
  promote: change('adminPromotePending', 'AdminPromotePendingInput', 'id email'),
  signOut: () => ask('mutation { it: logout { message } }'),
};

let refused = () => {};
/** Calls back when the service says that this account is not, or no more, a superuser's. */
export function onForbidden(callback) {
  refused = callback;
}

async function ask(document, variables) {
  try {
    return (await graphql(document, variables)).it;
  } catch (problem) {
    if (problem.code === 'forbidden') refused();
    throw problem;
  }
}

/** What a problem says to an operator, and what there is to do. */
export function wordsOf({ code, message, retryAfterSeconds, errors = [] }) {
  const again = retryAfterSeconds ? `Try again in ${timeOf(retryAfterSeconds)}.` : 'Try again shortly.';
  switch (code) {
    case 'last_superuser':
      return 'This is the last active superuser. Make somebody else a superuser first.';
    case 'already_verified':
      return 'The address is verified already, so nothing was sent.';
    case 'not_found':
      return 'It is not there any more: somebody may have deleted or promoted it meanwhile.';
    case 'rate_limited':
      return `Too many requests. ${again}`;
    case 'unavailable':
      return `The service, or something it depends on, does not answer. ${again}`;
    case 'network':
      return 'The server can’t be reached. Check your connection, then try again.';
    case 'invalid_input':
      return errors.map(({ path, message }) => `${labels[path] ?? path} ${message}.`).join(' ');
    default:
      return message ?? 'Something unexpected went wrong.';
  }
}

const labels = { fullName: 'The name', search: 'The search', after: 'The page', first: 'The page size' };

/** Seconds as people say them. */
function timeOf(seconds) {
  const [count, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
