import { explain } from './explanation.ts'
import type { Explained } from './explanation.ts'

/** Of core/session, core/sign-in, core/storage and core/import. */
export const flow: readonly Explained[] = [
  ...explain(
    'packages/core/src/import/import-cookies.ts',
    'No cookie that is imported has the prefix in the middle of its name.',
    ['regex', '/^__(Host|Secure)-/', 'toSpec.secure'],
  ),
  ...explain(
    'packages/core/src/import/import-revocations.ts',
    'Two calls only need different times: two seconds differ as one does.',
    ['number', '1', 'revokeOthers.time'],
  ),
  ...explain(
    'packages/core/src/import/import-revocations.ts',
    'Without a revocation of the other sessions, the loop finds the session among the kept ones.',
    ['if-false', 'await isAfter(`others ${token.sub}`)', 'isAccepted'],
  ),
  ...explain(
    'packages/core/src/import/import-revocations.ts',
    '`isAccepted` asks only if the record of the other sessions is found.',
    ['number', '0', 'isKept.cutOff'],
  ),
  ...explain(
    'packages/core/src/import/import-revocations.ts',
    'The time to compare with is far above 1: it is in seconds since 1970.',
    ['number', '0', 'isKept'],
  ),
  ...explain(
    'packages/core/src/import/import-sessions.ts',
    'A session that is not stored and has no events is ended by a storage that does not find it.',
    ['drop-left', 'isStored || events?.length', 'hold.end'],
  ),
  ...explain(
    'packages/core/src/import/import-sessions.ts',
    'A session in a cookie is not found by the id of another one.',
    ['if-false', '!sessions.isStored', 'findStored'],
  ),
  ...explain(
    'packages/core/src/import/import-sessions.ts',
    'The service has at least one secret, so that there is a signature.',
    ['string', "''", 'readForeign'],
  ),
  ...explain(
    'packages/core/src/import/previous-sessions.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'issuedBefore'", 'checkOptions', "toSeconds('issuedBefore', issuedBefore)"],
  ),
  ...explain(
    'packages/core/src/import/previous-sessions.ts',
    'A longer text is the id of a row that does not exist.',
    ['regex', '/^[\\w-]{43}$/ → /[\\w-]{43}$/', 'OUR_ID'],
    ['regex', '/^[\\w-]{43}$/ → /^[\\w-]{43}/', 'OUR_ID'],
  ),
  ...explain(
    'packages/core/src/import/previous-sessions.ts',
    'A row with an empty id is refused by the storage, which has no user of that id.',
    ['drop-right', "typeof token?.sub === 'string' && token.sub !== ''", 'toStored'],
    ['string', "''", 'toStored'],
  ),
  ...explain(
    'packages/core/src/import/session-cookie.ts',
    'Text behind the number would be another cookie, which no service sets.',
    [
      'drop-right',
      'held.startsWith(`${name}.`) && /^\\d{1,3}$/.test(held.slice(name.length + 1))',
      'findCookie.names',
    ],
    ['regex', '/^\\d{1,3}$/ → /^\\d{1,3}/', 'findCookie.names'],
  ),
  ...explain(
    'packages/core/src/import/session-cookie.ts',
    'No other cookie of an application ends in a number at this position; decryption would refuse it.',
    [
      'drop-left',
      'held.startsWith(`${name}.`) && /^\\d{1,3}$/.test(held.slice(name.length + 1))',
      'findCookie.names',
    ],
    ['string', '`${name}.`', 'findCookie.names'],
  ),
  ...explain(
    'packages/core/src/import/session-cookie.ts',
    'The text behind the dot begins with the number of a part, or the previous service has not set the cookie.',
    ['regex', '/^\\d{1,3}$/ → /\\d{1,3}$/', 'findCookie.names'],
  ),
  ...explain(
    'packages/core/src/import/session-cookie.ts',
    'Without parts the value is empty, which cannot be decrypted.',
    ['if-false', 'names.length === 0', 'findCookie'],
    ['number', '0', 'findCookie'],
  ),
  ...explain('packages/core/src/import/session-cookie.ts', 'The names are keys of the map.', [
    'nullish',
    "cookies.get(part) ?? ''",
    'findCookie.value',
  ]),
  ...explain(
    'packages/core/src/session/cookie-session.ts',
    'What we sealed for a session has the time: other contents have another key.',
    ['drop-right', "content !== undefined && 'iat' in content", 'isSealedSession'],
  ),
  ...explain(
    'packages/core/src/session/current-session.ts',
    'A session without a record changes only its token when it is renewed, and that token is used in any case.',
    ['drop-right', 'user.token && record', 'beginSession.isStale'],
  ),
  ...explain(
    'packages/core/src/session/current-session.ts',
    'The storage is behind a guard, which makes every error an `AuthError` with the code `Unavailable`.',
    [
      'drop-right',
      "!(thrown instanceof AuthError) || thrown.code !== 'Unavailable'",
      'toUnendedRefusal',
    ],
    ['return', 'return thrown', 'toUnendedRefusal'],
  ),
  ...explain(
    'packages/core/src/session/current-session.ts',
    'Without a session there is nothing to settle.',
    ['drop-left', 'held.session && getReplySize(reply) > MAX_BESIDE', 'settleSession'],
  ),
  ...explain(
    'packages/core/src/session/ended-sessions.ts',
    'A longer text is the id of no session.',
    ['regex', '/^[\\w-]{22,43}$/ → /[\\w-]{22,43}$/', 'ID'],
    ['regex', '/^[\\w-]{22,43}$/ → /^[\\w-]{22,43}/', 'ID'],
  ),
  ...explain(
    'packages/core/src/session/held-session.ts',
    'Only sessions in cookies keep tokens, and their cookie does not use the secret.',
    ['string', "''", 'getTokenCookies.secret'],
  ),
  ...explain(
    'packages/core/src/session/resolve-sessions.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'session.importFrom'", 'resolveImports'],
  ),
  ...explain(
    'packages/core/src/session/session-view.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'callbacks.session'", 'toSessionView.view'],
  ),
  ...explain(
    'packages/core/src/session/session.ts',
    'A member that is undefined is read like one that is missing.',
    ['drop-left', 'account && { account }', 'toRecord'],
  ),
  ...explain(
    'packages/core/src/session/stored-session.ts',
    'Text before the token is never used: the hash decides.',
    ['regex', '/^([\\w-]{43})(?:\\.(\\d{1,12}))?$/ → /([\\w-]{43})(?:\\.(\\d{1,12}))?$/', 'COOKIE'],
  ),
  ...explain(
    'packages/core/src/session/stored-session.ts',
    'The secret of a stored session always has the form of a cookie.',
    ['string', "''", 'createStoredSessions.toCookie.token'],
  ),
  ...explain(
    'packages/core/src/sign-in/ask-second-factor.ts',
    'The promise is never one of undefined, and who calls waits for it.',
    ['await', 'await getSecondFactors(ctx.service)?.ask(ctx, first)', 'askSecondFactor'],
  ),
  ...explain(
    'packages/core/src/sign-in/begin-flow.ts',
    'A flow is sent again or not: false is read like a missing member.',
    ['drop-right', 'isResend(input) || undefined', 'beginFlow.isResent'],
  ),
  ...explain(
    'packages/core/src/sign-in/complete.ts',
    'A third attempt finds what the second one found.',
    ['number', '2', 'completeSignIn'],
  ),
  ...explain('packages/core/src/sign-in/complete.ts', 'A sign-in always has a target.', [
    'string',
    "''",
    'findOffer.targets',
  ]),
  ...explain(
    'packages/core/src/sign-in/complete.ts',
    'A return URL has at most 2,048 bytes, so that the limit of the cookies is always the nearer one.',
    ['arithmetic', 'left - url.length', 'fitUrl.room'],
  ),
  ...explain(
    'packages/core/src/sign-in/find-flow.ts',
    'A state that no flow has is refused by the next comparison.',
    ['regex', '/^[\\w-]{43}$/ → /[\\w-]{43}$/', 'STATE'],
    ['regex', '/^[\\w-]{43}$/ → /^[\\w-]{43}/', 'STATE'],
    ['if-false', '!STATE.test(state)', 'findFlow'],
  ),
  ...explain(
    'packages/core/src/sign-in/find-flow.ts',
    'It is a part of a message for people: no code reads it.',
    [
      'string',
      "'no matching flow cookie: the sign-in expired or began in another browser'",
      'noFlow',
    ],
  ),
  ...explain(
    'packages/core/src/sign-in/flow.ts',
    'A longer id is the name of another cookie, which no flow has.',
    ['regex', '/^[\\w-]{8}$/ → /[\\w-]{8}$/', 'FLOW_ID'],
    ['regex', '/^[\\w-]{8}$/ → /^[\\w-]{8}/', 'FLOW_ID'],
  ),
  ...explain(
    'packages/core/src/sign-in/flow.ts',
    'The cookies are only opened again: the result is the same.',
    ['statement', 'openedFlows.set(ctx, opened)', 'openFlows'],
  ),
  ...explain(
    'packages/core/src/sign-in/profile.ts',
    'The parsed URL is compared with the same limit.',
    ['drop-right', "typeof value === 'string' && value.length <= MAX_URL", 'copyImage.url'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-providers.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`providers.${id}.linkByVerifiedEmail`', 'resolveProviders'],
    ['string', "'createsUsers'", 'checkCreatesUsers.option'],
    ['string', '`providers.${id}.${option}`', 'checkCreatesUsers'],
    ['string', "'providers'", 'checkProvider', "checkCalled('providers', provider)"],
    ['drop-left', "typeof id === 'string' && id", 'checkProvider.found'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'We chose the limit of the length, which OpenID Connect Core 1.0 §2 has for other texts: one more is as good.',
    ['number', '255', 'toSignIn'],
  ),
  ...explain('packages/core/src/sign-in/resolve-user.ts', 'A split text has at least one part.', [
    'string',
    "''",
    'toSignIn',
  ]),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    '`canLink` requires that the owner has an email address.',
    ['nullish', "owner.email ?? ''", 'resolveUnknown.linksByEmail'],
    ['string', "''", 'resolveUnknown.linksByEmail'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'It is a part of a message for people: no code reads it.',
    ['negate', 'named', 'resolveUnknown.problem'],
    [
      'string',
      '\'it must store the id that it is given; see @latchkey/storage-authjs, "Ids that stay"\'',
      'undoCreateUser.advice',
    ],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'A session whose factor was not stored is ended by the check that follows it, before any answer.',
    [
      'if-false',
      'enrolled && !(await storage.createFactor(user.id, enrolled.factor, enrolled.rows))',
      'persistSignIn',
    ],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'The cause is undefined or the error of the storage: the log has the same problem and advice.',
    ['return', 'thrown', 'undoCreateUser.cause'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'An update without tokens leaves the row as it is.',
    ['if-false', 'Object.keys(tokens).length === 0', 'updateTokens'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'The array has 16 bytes.',
    ['number', '0', 'createUuid', 'bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40'],
    ['number', '0', 'createUuid', 'bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80'],
  ),
  ...explain(
    'packages/core/src/sign-in/resolve-user.ts',
    'The pattern finds the first eight characters of a text of 32.',
    ['regex', '/^(.{8})(.{4})(.{4})(.{4})/', 'createUuid'],
  ),
  ...explain('packages/core/src/sign-in/user-id.ts', 'A split text has at least one part.', [
    'string',
    "''",
    'askUserId',
  ]),
  ...explain(
    'packages/core/src/storage/memory-outbox.ts',
    'A member that is undefined is read like one that is missing.',
    ['drop-left', 'sessionIds && { sessionIds }', 'createMemoryOutbox.storeEvents'],
  ),
  ...explain('packages/core/src/storage/memory-outbox.ts', 'The ids are in the order of time.', [
    'drop-left',
    'a[time] - b[time] || (a.id < b.id ? -1 : 1)',
    'compareBy',
  ]),
  ...explain('packages/core/src/storage/memory-outbox.ts', 'No two events have the same id.', [
    'boundary',
    'a.id < b.id',
    'compareBy',
  ]),
  ...explain(
    'packages/core/src/storage/memory-outbox.ts',
    'A sort reads the sign only.',
    [
      'number',
      '1 → 2',
      'compareBy',
      'return (a, b) => a[time] - b[time] || (a.id < b.id ? -1 : 1)',
      1,
    ],
    [
      'number',
      '1 → 2',
      'compareBy',
      'return (a, b) => a[time] - b[time] || (a.id < b.id ? -1 : 1)',
      2,
    ],
  ),
  ...explain('packages/core/src/storage/memory.ts', 'No two users have the same id.', [
    'boundary',
    'a.id < b.id',
    'listUsers',
  ]),
  ...explain('packages/core/src/storage/memory.ts', 'A sort reads the sign only.', [
    'number',
    '1 → 2',
    'listUsers',
    'return next.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)',
    1,
  ]),
  ...explain(
    'packages/core/src/storage/memory.ts',
    'A member that is undefined is read like one that is missing.',
    [
      'drop-right',
      'tokens.access_token === undefined && expires_at !== undefined',
      'createAccountMethods.updateAccount.isSame',
    ],
  ),
  ...explain(
    'packages/core/src/storage/memory.ts',
    'What has expired is refused when it is read: the sweep saves memory, which the soak shows.',
    [
      'statement',
      'sweep(({ expires }) => expires <= now)',
      'createTokenMethods.useVerificationToken',
    ],
    ['statement', 'sweepSessions(({ expires }) => expires <= session.createdAt)', 'insertSession'],
  ),
  ...explain(
    'packages/core/src/storage/memory.ts',
    'A token that expires now is not returned in any case: the sweep only frees memory.',
    ['boundary', 'expires <= now', 'createTokenMethods.useVerificationToken'],
  ),
  ...explain(
    'packages/core/src/storage/memory.ts',
    'A session that expires now is not returned in any case: the sweep only frees memory.',
    ['boundary', 'expires <= session.createdAt', 'insertSession'],
  ),
  ...explain(
    'packages/core/src/storage/one-time-tokens.ts',
    'A provider with this function always returns a text, and who calls waits for it.',
    ['await', 'await getActions(provider)?.getTokenSuffix?.(ctx, identifier)', 'getSuffix.suffix'],
  ),
  ...explain(
    'packages/core/src/storage/user-fields.ts',
    'Each declared field has a default column, which can be null.',
    ['nullish', 'readMember(columns, name) ?? defaults[name] ?? null', 'toValues'],
  ),
  ...explain(
    'packages/core/src/storage/user-fields.ts',
    'Only values that JSON can express are encoded.',
    ['string', "''", 'codecs.json.encode'],
  ),
]
