import type { Strategy } from './strategies.ts'

/** A deliberate fault in the sources, which the model must find. */
export interface Fault {
  /** From the root of the repository. */
  readonly file: string
  /** The source text to replace, which the file has exactly once. */
  readonly text: string
  /** Default: the text is removed */
  readonly replacement?: string
  /** What the text is for, as a fact that no longer holds with the fault. */
  readonly reason: string
  /** The strategy of the service in which the fault matters. Default: stored */
  readonly strategy?: Strategy
}

const core = 'packages/core/src'

/** The faults, chosen over the whole service: from the request to what is stored. */
export const faults: readonly Fault[] = [
  {
    file: `${core}/gates.ts`,
    text: 'if (equalInConstantTime(given, token)) return',
    replacement: 'return',
    reason: 'the CSRF token of a form equals the token of the cookie',
  },
  {
    file: `${core}/routes.ts`,
    text: "row('POST', '/session',             'json', [form, data], 'trusted',     guarded, ",
    replacement: "row('POST', '/session',             'json', [form, data], 'trusted',     [], ",
    reason: 'another site cannot update a session',
  },
  {
    file: `${core}/sign-in/find-flow.ts`,
    text: '!equalInConstantTime(await toState(token, flow.salt), state)',
    replacement: 'false',
    reason: 'the state is bound to the CSRF token of the browser',
  },
  {
    file: `${core}/sign-in/run-callback.ts`,
    text: 'if (await ctx.service.usedOnce.take(replayKey.salt, replayKey.exp, ctx.now)) return flow',
    replacement: 'return flow',
    reason: 'a flow works once',
  },
  {
    file: `${core}/storage/memory.ts`,
    text: 'tokens.delete(key)',
    reason: 'the link of an email works once',
  },
  {
    file: `${core}/sign-in/link-account.ts`,
    text: 'session !== undefined && session.id === flow.sessionId',
    replacement: 'session !== undefined',
    reason: 'an account is linked to the user of the session that asked',
  },
  {
    file: `${core}/session/current-session.ts`,
    text: 'await held.end(session && toSignOutRows(ctx, session))',
    reason: 'a sign-out ends the session in the storage',
  },
  {
    file: `${core}/session/ended-sessions.ts`,
    text: 'return readIds(request).includes(id)',
    replacement: 'return false',
    reason: 'a session that has ended in a browser stays ended there',
    strategy: 'cookie',
  },
  {
    file: `${core}/session/session.ts`,
    text: 'Math.min(renewedAt + limits.maxAge, startedAt + limits.absoluteMaxAge)',
    replacement: 'renewedAt + limits.maxAge',
    reason: 'a session ends after absoluteMaxAge',
  },
  {
    file: `${core}/api/sessions.ts`,
    text: "await getStorage().deleteSession(id, outbox?.toRows('revokeSession', event, ctx))",
    reason: 'a revoked session ends',
    strategy: 'revocable',
  },
  {
    file: `${core}/passwords/replace-password.ts`,
    text: `  await revokeAllSessions(ctx.service, userId, { except, ctx })
  const stored = await storePassword(ctx, storage, userId, password)
  // The previous password can have begun a session in between, which read it before it was replaced.
  await storage.deleteSessions(userId, except)
`,
    replacement: `  const stored = await storePassword(ctx, storage, userId, password)
`,
    reason: 'a new password ends the sessions of its user',
  },
  {
    file: `${core}/second-factor/ask.ts`,
    text: 'if (isEnrolled(settings.methods, factors)) {',
    replacement: 'if (false) {',
    reason: 'an unfinished sign-in is not a session',
  },
  {
    file: `${core}/second-factor/enrol.ts`,
    text: 'await revokeAllSessions(service, step.userId, { except: session.id, ctx })',
    reason: 'the first second factor ends the other sessions',
  },
  {
    file: `${core}/passkeys/authenticate.ts`,
    text: 'assertion.userId !== factor.userId',
    replacement: 'false',
    reason: 'the passkey of another user is not a second factor',
  },
  {
    file: 'packages/totp/src/totp.ts',
    text: 'step === undefined || step <= lastStep',
    replacement: 'step === undefined',
    reason: 'the code of an app works once',
  },
  {
    file: 'packages/totp/src/recovery-codes.ts',
    text: 'const state: State = { salt, hashes: unused }',
    replacement: 'const state: State = { salt, hashes }',
    reason: 'a recovery code works once',
  },
  {
    file: `${core}/providers/credentials.ts`,
    text: 'await input.limitAttempt(foldName(name), browserId)',
    replacement: 'await input.limitAttempt(foldName(name), undefined)',
    reason: 'failures elsewhere do not lock a user out of a browser that knows them',
  },
]
