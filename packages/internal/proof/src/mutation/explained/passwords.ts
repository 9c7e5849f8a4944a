import { explain } from './explanation.ts'
import type { Explained } from './explanation.ts'

/** Of core/passwords, packages/passwords and packages/passkeys. */
export const passwords: readonly Explained[] = [
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'No error of an email address has the status 500: it is 400, or 503 if the mailer fails.',
    ['boundary', 'error.status < 500', 'start.isMistake'],
  ),
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'An email address that is invalid is 400, and a mailer that fails 502: no error has exactly this status.',
    ['number', '500', 'start.isMistake'],
  ),
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'No form of a link is refused with options; those that one may have later are kept.',
    ['spread', '...options', 'start'],
  ),
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'a password'", 'post'],
    ['string', "'a password'", 'change'],
  ),
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'The comparison after the password is stored refuses the same, and takes the password back.',
    ['drop-right', '!session || !(await isAlive(ctx, session))', 'change'],
    [
      'await',
      'await isAlive(ctx, session)',
      'change',
      'if (!session || !(await isAlive(ctx, session))) throw endedError()',
    ],
  ),
  ...explain(
    'packages/core/src/passwords/actions.ts',
    'No form of a password marks its field: only the form that asks for a link does.',
    ['boolean', 'true', 'checkPassword.show.isMistake'],
  ),
  ...explain(
    'packages/core/src/passwords/ask-link.ts',
    'The caller awaits the promise: only the pause begins earlier.',
    [
      'await',
      'await sendLink(settings, input, { kind, address, ways, flow: { action } })',
      'askLink.sent',
    ],
  ),
  ...explain(
    'packages/core/src/passwords/choose.ts',
    'An unknown email address has no token, so that the next call refuses it; `askLink` begins only sign-ins.',
    ['drop-right', "address === undefined || purpose !== 'signIn'", 'finishChoice'],
  ),
  ...explain(
    'packages/core/src/passwords/choose.ts',
    '`emailProven` decides: what the profile says about it is replaced.',
    ['boolean', 'true', 'finishChoice.proven.profile.emailVerified'],
  ),
  ...explain(
    'packages/core/src/passwords/end-links.ts',
    'The suffix only has to be the same for all links that were not ended.',
    ['string', "''", 'getTokenSuffix'],
  ),
  ...explain(
    'packages/core/src/passwords/import-users.ts',
    'Only providers of passwords have `work`, and each of them has this type.',
    [
      'drop-right',
      "provider.signsInByFactor === PASSWORD && 'work' in provider",
      'isPasswordProvider',
    ],
    [
      'drop-left',
      "provider.signsInByFactor === PASSWORD && 'work' in provider",
      'isPasswordProvider',
    ],
  ),
  ...explain('packages/core/src/passwords/import-users.ts', 'An empty batch imports no row.', [
    'boundary',
    'batch.length > 0',
    'toBatches',
  ]),
  ...explain(
    'packages/core/src/passwords/imported-row.ts',
    'A name that is null is copied as null.',
    ['drop-left', 'name === null || copyProfile({ profile: { name } }).name === name', 'isName'],
  ),
  ...explain(
    'packages/core/src/passwords/password-factor.ts',
    'Who asks has treated users with a password before.',
    ['drop-left', "type === PASSWORD || type === 'passkey'", 'isWayToSignIn'],
  ),
  ...explain(
    'packages/core/src/passwords/password-factor.ts',
    'A user with a verified email address was found before, by it.',
    ['drop-right', 'isStill && !unproven.user.emailVerified', 'findPassword'],
  ),
  ...explain(
    'packages/core/src/passwords/prove-mailbox.ts',
    'Each link that proves a mailbox begins a sign-in, and its flow has the email address.',
    [
      'drop-right',
      "userId === undefined || address === undefined || purpose !== 'signIn'",
      'finishProof',
    ],
  ),
  ...explain(
    'packages/core/src/passwords/provider.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`providers.${id}.mailer`', 'checkOptions'],
    ['string', "'id'", 'checkParts'],
  ),
  ...explain(
    'packages/core/src/passwords/provider.ts',
    'Each flow of the provider has the hash of a token.',
    [
      'drop-left',
      "token !== undefined && token === (await platform.hash(params.get('token') ?? ''))",
      'outOfBand.matches',
    ],
  ),
  ...explain(
    'packages/core/src/passwords/send-link.ts',
    'The path of a callback ends behind its provider.',
    ['regex', '/\\/callback\\/[^/]*$/', 'sendLink.signInUrl'],
  ),
  ...explain(
    'packages/core/src/passwords/send-link.ts',
    'The link was not sent: no reader has its token, which expires.',
    ['statement', 'await tokens.useById(address, id)', 'sendLink'],
    ['await', 'await tokens.useById(address, id)', 'sendLink'],
  ),
  ...explain(
    'packages/core/src/passwords/show-forms.ts',
    'A longer token is refused when the form is posted.',
    ['regex', '/^[\\w-]{43}$/ → /[\\w-]{43}$/', 'showChoiceForm'],
    ['regex', '/^[\\w-]{43}$/ → /^[\\w-]{43}/', 'showChoiceForm'],
  ),
  ...explain(
    'packages/core/src/passwords/sign-in.ts',
    'The time is in seconds since 1970: 1 is as early as 0.',
    ['number', '0', 'limitFailures.since'],
  ),
  ...explain(
    'packages/core/src/passwords/sign-in.ts',
    'The names of the counts only have to differ.',
    ['string', "'passwordFailures'", 'limitFailures'],
  ),
  ...explain(
    'packages/core/src/passwords/sign-in.ts',
    'If it was stored, the comparison of `changedAt` after it returns too.',
    ['if-false', 'await storage.updateFactor(type, id, version, changes)', 'noteUse'],
  ),
  ...explain(
    'packages/core/src/passwords/store-imported.ts',
    'The time of the change is compared only with what the same clock wrote for it.',
    ['arithmetic', 'runtime.now() / 1000', 'toFactor'],
    ['number', '1000', 'toFactor'],
  ),
  ...explain(
    'packages/core/src/passwords/store-password.ts',
    'What is not stored is noticed by the checks that follow: the session of a deleted user has ended, and a factor that is missing proves nothing.',
    ['throw', "throw new AuthError('SessionRequired', 'the user is deleted')", 'tryToStore'],
  ),
  ...explain(
    'packages/passkeys/src/authenticator-data.ts',
    'If only the length of the ID is there, the key is missing: the next line throws.',
    ['boundary', 'bytes.byteLength < idStart', 'parseAttested'],
  ),
  ...explain(
    'packages/passkeys/src/authenticator-data.ts',
    'The pattern finds the first eight characters of a text of 32.',
    ['regex', '/^(.{8})(.{4})(.{4})(.{4})/', 'toUuid'],
  ),
  ...explain('packages/passkeys/src/bytes.ts', 'Both are SHA-256 hashes.', [
    'drop-left',
    'a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i])',
    'equalBytes',
  ]),
  ...explain(
    'packages/passkeys/src/client-data.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'the client data'", 'parseClientData'],
  ),
  ...explain(
    'packages/passkeys/src/cose-key.ts',
    'Neither number is an exponent that is accepted.',
    [
      'number',
      '0 → 1',
      'checkRsaKey.exponent',
      'const exponent = e.byteLength > 4 ? 0 : e.reduce((sum, byte) => sum * 256 + byte, 0)',
      1,
    ],
  ),
  ...explain(
    'packages/passkeys/src/passkeys.ts',
    'It is a part of a message for people: no code reads it.',
    ['number', '0', 'checkOrigins.wrong'],
    ['negate', 'Array.isArray(origins)', 'checkOrigins.which'],
    ['string', '`[${wrong}] is not an origin`', 'checkOrigins.which'],
    ['string', "'is not a list of origins'", 'checkOrigins.which'],
  ),
  ...explain(
    'packages/passkeys/src/response.ts',
    'It is a part of a message for people: no code reads it.',
    [
      'string',
      "'userHandle' → ''",
      'readUserHandle',
      "if (response['userHandle'] === undefined || response['userHandle'] === null) return undefined",
      2,
    ],
  ),
  ...explain(
    'packages/passkeys/src/signature.ts',
    'Nothing exports the key, whether or not it could be exported.',
    [
      'boolean',
      'false',
      'importKey',
      "return crypto.subtle.importKey('raw', point, ecdsa, false, ['verify'])",
    ],
    [
      'boolean',
      'false',
      'importKey',
      "return crypto.subtle.importKey('raw', key.x, 'Ed25519', false, ['verify'])",
    ],
    [
      'boolean',
      'false',
      'importKey',
      "return crypto.subtle.importKey('jwk', jwk, rsa, false, ['verify'])",
    ],
  ),
  ...explain(
    'packages/passkeys/src/signature.ts',
    'Node refuses a signature of another length too; workerd throws an error, which its own tests show.',
    ['if-false', 'signature.byteLength !== 64', 'verifySignature'],
  ),
  ...explain(
    'packages/passkeys/src/unstable.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'@latchkey/passkeys'", 'name'],
  ),
  ...explain(
    'packages/passkeys/src/verify-certificates.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'the header'", 'readJwsHeader'],
    ['string', "'the client data'", 'verifyStatement.clientData'],
  ),
  ...explain(
    'packages/passkeys/src/verify-certificates.ts',
    'A path of one certificate is of that certificate: without it nothing is left to verify.',
    ['boundary', 'path.length > 1', 'checkPath.last'],
  ),
  ...explain(
    'packages/passkeys/src/verify-certificates.ts',
    'The library keeps its roots for the process: giving it the same ones again changes nothing.',
    [
      'if-false',
      'present.length === 0 || roots.every((root) => present.includes(root))',
      'addRoots',
    ],
    [
      'drop-right',
      'present.length === 0 || roots.every((root) => present.includes(root))',
      'addRoots',
    ],
    [
      'drop-left',
      'present.length === 0 || roots.every((root) => present.includes(root))',
      'addRoots',
    ],
    ['return', 'present.includes(root)', 'addRoots'],
    ['spread', '...new Set([...present, ...roots])', 'addRoots.certificates'],
    ['spread', '...present', 'addRoots.certificates'],
  ),
  ...explain(
    'packages/passkeys/src/verify-certificates.ts',
    'The verifier has compared the flag of presence before.',
    ['boolean', 'false', 'verifyStatement.requireUserPresence'],
  ),
  ...explain(
    'packages/passkeys/src/well-known.ts',
    'Each name gets the same letter: labels that two names share stay the same.',
    ['string', "''", 'listLabels', ".replace(/(\\.com?)?\\.[a-z]{2}$|\\.[^.]+$/, '')"],
  ),
  ...explain(
    'packages/passwords/src/argon2-node.ts',
    'The tests run on a Node that has Argon2: the branch is for older ones.',
    [
      'return',
      "return 'needs argon2 of node:crypto, which Node has since 24.7: use scrypt, or an Argon2 module'",
      'getArgon2Problem',
    ],
    [
      'string',
      "'needs argon2 of node:crypto, which Node has since 24.7: use scrypt, or an Argon2 module'",
      'getArgon2Problem',
    ],
  ),
  ...explain(
    'packages/passwords/src/argon2-verifier.ts',
    'The list of variants has at least one entry.',
    ['string', "'argon2id'", 'createArgon2Verifier'],
  ),
  ...explain(
    'packages/passwords/src/argon2-verifier.ts',
    'The hash is compared for its work only: it belongs to no password.',
    ['number', '16', 'createArgon2Verifier'],
    ['number', '32', 'createArgon2Verifier'],
  ),
  ...explain(
    'packages/passwords/src/argon2-verifier.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'Argon2'", 'createArgon2Verifier.name'],
  ),
  ...explain(
    'packages/passwords/src/argon2.ts',
    'The tests run on a Node that has Argon2: the branch is for older ones.',
    [
      'string',
      "'argon2id'",
      'argon2id',
      "if (problem !== undefined) throw new ConfigurationError('argon2id', problem)",
    ],
  ),
  ...explain(
    'packages/passwords/src/breached-passwords.ts',
    'A row with more text is compared by its hash, as all others.',
    ['regex', '/^([\\dA-F]{35}):(\\d{1,10})$/ → /([\\dA-F]{35}):(\\d{1,10})$/', 'readRange.rows'],
    ['regex', '/^([\\dA-F]{35}):(\\d{1,10})$/ → /^([\\dA-F]{35}):(\\d{1,10})/', 'readRange.rows'],
  ),
  ...explain(
    'packages/passwords/src/bytes.ts',
    'Every caller compares results of one length. The check keeps a shorter value from matching as a beginning.',
    ['if-false', 'a.byteLength !== b.byteLength', 'equalInConstantTime'],
    ['boolean', 'false', 'equalInConstantTime'],
  ),
  ...explain(
    'packages/passwords/src/bytes.ts',
    'Behind the end both have no byte, and nothing differs.',
    ['boundary', 'i < a.byteLength', 'equalInConstantTime'],
  ),
  ...explain(
    'packages/passwords/src/bytes.ts',
    'Base64 has padding at its end only.',
    ['regex', '/=+$/', 'toBase64'],
    ['regex', '/={1,2}$/', 'fromPaddedBase64.bare'],
  ),
  ...explain(
    'packages/passwords/src/passwords.ts',
    'One second more is as good: the default is our choice.',
    ['number', '3600', 'passwords.maxAge'],
  ),
  ...explain(
    'packages/passwords/src/queued.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'queued'", 'queued'],
    ['string', '`did not begin within ${MAX_WAIT} seconds`', 'createSlots.wait.cancel'],
  ),
  ...explain(
    'packages/passwords/src/queued.ts',
    'A rejection after the resolution changes nothing: only a timer is left.',
    ['statement', 'cancel()', 'createSlots.wait.start'],
  ),
  ...explain(
    'packages/passwords/src/queued.ts',
    'A test that notices a thousandth would repeat the number.',
    ['number', '1000', 'createSlots.wait.cancel'],
  ),
  ...explain('packages/passwords/src/runtime.ts', 'All runtimes of the tests have `navigator`.', [
    'drop-left',
    "typeof navigator === 'object' && navigator.userAgent === 'Cloudflare-Workers'",
    'isWorkerd',
  ]),
  ...explain(
    'packages/passwords/src/sorted-hashes.ts',
    'The first line is found either way: `lastIndexOf` goes back to its beginning.',
    ['number', '0', 'findHash'],
  ),
  ...explain('packages/passwords/src/sorted-hashes.ts', 'Equal hashes were returned before.', [
    'boundary',
    'found < hash',
    'findHash',
  ]),
  ...explain(
    'packages/passwords/src/sorted-hashes.ts',
    'The search continues within the next line, whose beginning it looks for.',
    ['number', '1', 'findHash'],
  ),
  ...explain(
    'packages/passwords/src/unstable.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'@latchkey/passwords'", 'name'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/better-auth.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'better-auth'", 'betterAuth.name'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/better-auth.ts',
    'Text before a stored hash is ignored: better-auth writes none.',
    [
      'regex',
      '/^(?<salt>[\\da-f]{32}):(?<key>[\\da-f]{128})$/ → /(?<salt>[\\da-f]{32}):(?<key>[\\da-f]{128})$/',
      'betterAuth.parse',
    ],
  ),
  ...explain(
    'packages/passwords/src/verifiers/django.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'Django'", 'django.name'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/firebase.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'Firebase'", 'firebase.name'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/keycloak.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'Keycloak'", 'keycloak.name'],
  ),
  ...explain('packages/passwords/src/verifiers/keycloak.ts', 'Other algorithms have no version.', [
    'drop-left',
    "algorithm !== 'argon2' || String(version) !== '1.3'",
    'toKeycloakHash',
  ]),
  ...explain(
    'packages/passwords/src/verifiers/keycloak.ts',
    'The format has the parameter and one of these ids: `parsePhcOf` checks both.',
    ['number', '1', 'verifyKeycloak.parameters.i'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'WordPress'", 'wordpress.name'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    'Without the prefix, the rest is not a hash of bcrypt.',
    ['string', "'$wp$2y$'", 'parsePrefixed'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    'Text before a stored hash is ignored: WordPress writes none.',
    [
      'regex',
      '/^\\$P\\$([./A-Za-z\\d])([./A-Za-z\\d]{8})([./A-Za-z\\d]{22})$/ → /\\$P\\$([./A-Za-z\\d])([./A-Za-z\\d]{8})([./A-Za-z\\d]{22})$/',
      'parsePhpass.pattern',
    ],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    'No logarithm of either value is within the range.',
    ['string', "''", 'parsePhpass.logarithm'],
    ['number', '1', 'parsePhpass.logarithm'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    '16 bytes, the length of MD5, are not a multiple of three.',
    ['boundary', 'i < bytes.length', 'encode'],
  ),
  ...explain(
    'packages/passwords/src/verifiers/wordpress.ts',
    'The text is compared as far as it goes: a hash has 22 characters for 16 bytes.',
    ['number', '8', 'encode.length'],
    ['number', '6', 'encode.length'],
  ),
  ...explain(
    'packages/passwords/src/work.ts',
    'Only the time of the first answer differs, which `pnpm bench:timing` measures.',
    ['statement', 'await getOwnDecoy()', 'createWork.verify'],
  ),
  ...explain(
    'packages/passwords/src/work.ts',
    'The function is async: it returns what the promise has.',
    ['await', 'await getOwnDecoy()', 'createWork.getDecoy.decoys'],
  ),
  ...explain(
    'packages/passwords/src/work.ts',
    'How many hashes are computed at a time is a guess, and the tests set it; Node has the number of cores.',
    ['number', '1024', 'countCores'],
    ['drop-right', 'globalThis.navigator?.hardwareConcurrency || 1', 'countCores'],
    ['number', '1', 'countCores'],
  ),
  ...explain('packages/passwords/src/work.ts', 'Every runtime that we support has `navigator`.', [
    'chain',
    'globalThis.navigator?.hardwareConcurrency',
    'countCores',
  ]),
  ...explain('packages/passwords/src/work.ts', 'Any number that a text picks is as good.', [
    'number',
    '0 → 1',
    'toNumber',
    'return Array.from(text).reduce((sum, character) => sum + character.charCodeAt(0), 0)',
    2,
  ]),
]
