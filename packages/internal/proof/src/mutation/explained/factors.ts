import { explain } from './explanation.ts'
import type { Explained } from './explanation.ts'

/** Of core/second-factor, core/passkeys and packages/totp. */
export const factors: readonly Explained[] = [
  ...explain(
    'packages/core/src/passkeys/account.ts',
    'Both ways show the page: only a sentence differs.',
    ['boolean', 'true', 'removePasskey.isSaved'],
  ),
  ...explain(
    'packages/core/src/passkeys/actions.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`a passkey for ${use}`', 'start'],
  ),
  ...explain(
    'packages/core/src/passkeys/actions.ts',
    'A second step begins only where the option `secondFactor` is set, and `getStep` returns a step or throws.',
    ['string', "''", 'begin.second.callbackUrl'],
    ['string', "''", 'begin.second.salt'],
    ['string', "''", 'begin.second.userId'],
  ),
  ...explain(
    'packages/core/src/passkeys/automatic.ts',
    'The first seconds of 1970 are longer ago than any sign-in.',
    ['number', '0', 'isFresh.authenticatedAt'],
  ),
  ...explain(
    'packages/core/src/passkeys/flow.ts',
    'The id only has to differ from the ids of other flows, which have eight characters.',
    ['string', "'passkey'", 'ID'],
  ),
  ...explain(
    'packages/core/src/passkeys/flow.ts',
    'A cookie of an unknown key stays or goes: its challenge is refused either way.',
    ['negate', 'isKept', 'findPasskeyFlow.spec'],
  ),
  ...explain(
    'packages/core/src/passkeys/flow.ts',
    'Each sealed flow of passkeys has the hash of a CSRF token.',
    ['string', "''", 'findPasskeyFlow'],
  ),
  ...explain(
    'packages/core/src/passkeys/flow.ts',
    'Each sealed flow of passkeys has a challenge.',
    ['string', "''", 'findPasskeyFlow.challenge'],
  ),
  ...explain(
    'packages/core/src/passkeys/flow.ts',
    'A browser waits for as long as it likes: the service refuses an answer after the flow has ended.',
    ['arithmetic', 'FLOW_LIFETIME * 1000', 'TIMEOUT'],
  ),
  ...explain(
    'packages/core/src/passkeys/offer.ts',
    'The text only has to differ from what else a cookie remembers.',
    ['string', '`passkey ${userId}`', 'offerPasskey.offered'],
  ),
  ...explain(
    'packages/core/src/passkeys/post-answer.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'a passkey'", 'postAnswer'],
  ),
  ...explain(
    'packages/core/src/passkeys/post-answer.ts',
    'A passkey proves only a step with a proven first factor.',
    ['string', "''", 'proveSecond.isOther'],
  ),
  ...explain(
    'packages/core/src/passkeys/post-answer.ts',
    'Neither text is JSON, and the refusal is the same.',
    ['string', "''", 'prove.credential'],
  ),
  ...explain(
    'packages/core/src/passkeys/provider.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', '`providers.${PASSKEY}`', 'checkParts.option'],
  ),
  ...explain(
    'packages/core/src/passkeys/register.ts',
    'The flow of a registration always says it.',
    ['boolean', 'false', 'verify.isAutomatic'],
    ['string', "''", 'verify.userHandle'],
  ),
  ...explain(
    'packages/core/src/passkeys/register.ts',
    'Neither text is JSON, and the refusal is the same.',
    ['string', "''", 'verify.response'],
  ),
  ...explain(
    'packages/core/src/second-factor/ask.ts',
    'Only what has proven a factor has the method `mfa`: what an identity provider says is elsewhere (I-50.3).',
    [
      'drop-left',
      "identity.provenBy !== undefined && signIn.authentication.methods.includes('mfa')",
      'hasProvenBoth',
    ],
  ),
  ...explain(
    'packages/core/src/second-factor/auth-factors.ts',
    'A factor that does not exist is not changed.',
    ['drop-right', 'factor.type === type && factor.id === id', 'createFactorsApi.rename.isTheirs'],
  ),
  ...explain(
    'packages/core/src/second-factor/change-factor.ts',
    'The first attempt then reads what it was given once more.',
    ['number', '0', 'changeFactor.isRead'],
  ),
  ...explain(
    'packages/core/src/second-factor/complete-first.ts',
    'A step is completed only if it has a proven first factor.',
    ['string', "''", 'completeFirst.provider'],
  ),
  ...explain(
    'packages/core/src/second-factor/complete-first.ts',
    'No end of a sign-in refuses with options; those that one may have later are kept.',
    ['spread', '...options', 'completeFirst'],
    ['spread', '...(options.cookies ?? [])', 'completeFirst.cookies'],
  ),
  ...explain(
    'packages/core/src/second-factor/enrol.ts',
    'A user who is deleted has no session, which the next check finds.',
    ['if-false', '!(await storage.createFactor(step.userId, factor, rows))', 'enrolInSession'],
  ),
  ...explain(
    'packages/core/src/second-factor/factor-name.ts',
    'A text of more than 128 units has more than 64 characters, which the next condition refuses.',
    ['drop-right', "name === '' || name.length > 2 * MAX_FACTOR_NAME", 'parseFactorName'],
    ['number', '2', 'parseFactorName'],
  ),
  ...explain(
    'packages/core/src/second-factor/factors.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "', '", 'checkProvable.types'],
  ),
  ...explain(
    'packages/core/src/second-factor/limit-attempt.ts',
    'The two kinds only have to differ.',
    ['negate', 'isBackup', 'limitAttempt.kind'],
    ['string', "'backup'", 'limitAttempt.kind'],
    ['string', "'factor'", 'limitAttempt.kind'],
  ),
  ...explain(
    'packages/core/src/second-factor/limit-attempt.ts',
    'The key of all browsers only has to differ from the keys of known ones.',
    ['string', "'all'", 'limitAttempt.user'],
  ),
  ...explain(
    'packages/core/src/second-factor/limit-attempt.ts',
    'The names of the counts only have to differ.',
    ['string', "'secondFactorPerStep'", 'limitAttempt'],
    ['string', "'secondFactorPerUser'", 'limitAttempt.refund'],
    ['string', "'secondFactorFailures'", 'limitAttempt'],
  ),
  ...explain(
    'packages/core/src/second-factor/limit-attempt.ts',
    'A step that is not an enrolment has a proven first factor.',
    ['string', "''", 'getLastSuccess'],
  ),
  ...explain(
    'packages/core/src/second-factor/method-provider.ts',
    'The type only has to be one that no sign-in has.',
    ['string', "'second-factor'", 'createMethodProvider.type'],
  ),
  ...explain(
    'packages/core/src/second-factor/post-code.ts',
    'The name only has to be one that no provider has.',
    ['string', "'second'", 'KNOWN.id'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'What is returned at the end has its own value.',
    ['boolean', 'true', 'none.isComplete'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'The sealed text is thrown away: only its header is read.',
    ['number', '0', 'createWork.header'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'The limit only saves a split of what is behind the header.',
    ['number', '1', 'getHeader'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'A factor that is in order or unreadable is read once more, and nothing is stored.',
    ['drop-right', "work.isDry || first.outcome !== 'resealed'", 'resealFactor'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'A sealed secret does not expire: any time is before its end.',
    ['arithmetic', 'service.runtime.now() / 1000', 'toResealed.now'],
  ),
  ...explain(
    'packages/core/src/second-factor/reseal-factors.ts',
    'A test that notices a thousandth would repeat the number.',
    ['number', '1000', 'toResealed.now'],
  ),
  ...explain(
    'packages/core/src/second-factor/second-factor.ts',
    'It is a part of a message for people: no code reads it.',
    ['string', "'secondFactor'", 'secondFactor'],
    ['string', "'secondFactor.enrol'", 'resolveSettings'],
  ),
  ...explain(
    'packages/core/src/second-factor/show-second-page.ts',
    'A step that is not an enrolment has a proven first factor.',
    ['string', "''", 'listHeld'],
  ),
  ...explain(
    'packages/core/src/second-factor/show-second-page.ts',
    'The page is rendered only for a step with an enrolment.',
    ['string', "''", 'renderEnrolment.method'],
    ['string', "''", 'renderEnrolment.shown'],
  ),
  ...explain(
    'packages/core/src/second-factor/show-second-page.ts',
    'Without a session, the step of an enrolment in a session is not opened.',
    ['string', "''", 'toAccountName'],
  ),
  ...explain(
    'packages/core/src/second-factor/step.ts',
    'We chose the limit of the bytes: one more is as good.',
    ['number', '0', 'getBytes'],
  ),
  ...explain(
    'packages/totp/src/base32.ts',
    'Five bits that stay are picked with the next byte, or at the end.',
    ['boundary', 'bits >= 5', 'toBase32'],
    [
      'number',
      '5 → 6',
      'toBase32',
      'for (bits += 8; bits >= 5; bits -= 5) text += alphabet.charAt((buffer >> (bits - 5)) & 31)',
      1,
    ],
  ),
  ...explain(
    'packages/totp/src/base32.ts',
    'The bits that stay above are cut off when a character is picked.',
    ['statement', 'buffer &= 31', 'toBase32'],
  ),
  ...explain(
    'packages/totp/src/base32.ts',
    'The bits that stay above do not get into a byte.',
    ['statement', 'buffer &= (1 << bits) - 1', 'fromBase32'],
    ['arithmetic', '1 << bits', 'fromBase32'],
    ['number', '1 → 2', 'fromBase32', 'buffer &= (1 << bits) - 1', 1],
  ),
  ...explain(
    'packages/totp/src/code.ts',
    'The key does not leave the function, which does not export it.',
    ['boolean', 'false', 'findStep.hmacKey'],
  ),
  ...explain(
    'packages/totp/src/key-uri.ts',
    'The pattern only finds a space at the end, which a name has not: names are trimmed.',
    ['string', "''", 'encodeName'],
  ),
  ...explain('packages/totp/src/recovery-codes.ts', 'Neither text has 24 characters.', [
    'string',
    "''",
    'useCode.code',
  ]),
  ...explain(
    'packages/totp/src/recovery-codes.ts',
    'The hash of a text of another form is not in the list.',
    ['if-false', '!/^[0-9a-hjkmnp-tv-z]{24}$/.test(code)', 'useCode'],
    ['regex', '/^[0-9a-hjkmnp-tv-z]{24}$/ → /[0-9a-hjkmnp-tv-z]{24}$/', 'useCode'],
    ['regex', '/^[0-9a-hjkmnp-tv-z]{24}$/ → /^[0-9a-hjkmnp-tv-z]{24}/', 'useCode'],
  ),
  ...explain('packages/totp/src/totp.ts', 'No step of time is at or before either number.', [
    'number',
    '1',
    'totp.enrolment.finish',
  ]),
  ...explain('packages/totp/src/totp.ts', 'Neither text has six digits.', [
    'string',
    "''",
    'acceptCode.code',
  ]),
  ...explain(
    'packages/totp/src/totp.ts',
    'A text of another form equals no code.',
    ['if-false', '!/^\\d{6}$/.test(code)', 'acceptCode'],
    ['regex', '/^\\d{6}$/ → /\\d{6}$/', 'acceptCode'],
    ['regex', '/^\\d{6}$/ → /^\\d{6}/', 'acceptCode'],
  ),
  ...explain(
    'packages/totp/src/typed-text.ts',
    'Behind the end of the first text the second has a character only if the lengths differ.',
    ['boundary', 'i < a.length', 'equalInConstantTime'],
  ),
]
