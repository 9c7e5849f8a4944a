/** One check of security without which a test must fail. */
export interface Row {
  /** What the check is for, as a fact that no longer holds. */
  readonly name: string
  /** The function that has the text, if other functions have it too. */
  readonly in?: string
  /** The text of the sources to replace: the packages have it exactly once. */
  readonly find: string
  /** Default: the text is removed */
  readonly replace?: string
  /** The test files, without `test/` and `.test.ts`, separated by spaces. */
  readonly tests: string
}

/** The checks of security that `pnpm mutants` removes, one after the other. */
export const rows: readonly Row[] = [
  // CSRF tokens, origins, seals and bodies
  {
    name: 'the cookie of a token is authentic',
    find: '(await signer.verify(toSigningInput(token, sessionId), mac)) ? token : undefined',
    replace: 'token',
    tests: 'core/csrf',
  },
  {
    name: 'a token is bound to the session',
    find: '`${token}.${sessionId}`',
    replace: 'token',
    tests: 'core/csrf',
  },
  {
    name: 'a state is bound to the CSRF token',
    find: 'platform.hash(csrfToken + salt)',
    replace: 'platform.hash(salt)',
    tests: 'core/flow',
  },
  {
    name: 'a value of one purpose does not open as another',
    find: 'latchkey ${purpose} v1',
    replace: 'latchkey v1',
    tests: 'core/cookies',
  },
  {
    name: 'a sealed value expires',
    find: "Number(content['exp']) > now ? content : undefined",
    replace: 'content',
    tests: 'core/cookies',
  },
  {
    name: "the browser's word on the site counts",
    find: '(isOwn && isSameSite)',
    replace: 'isOwn',
    tests: 'core/csrf',
  },
  {
    name: 'the origin counts',
    find: '(isOwn && isSameSite)',
    replace: 'isSameSite',
    tests: 'core/csrf',
  },
  {
    name: 'an opaque origin is not a page of the service',
    find: "origin === 'null' && site === 'same-origin'",
    replace: "origin === 'null'",
    tests: 'core/trusted-origins',
  },
  {
    name: "the field equals the cookie's token",
    find: 'if (equalInConstantTime(given, token)) return',
    replace: 'return',
    tests: 'core/csrf',
  },
  {
    name: 'plain http is for loopback',
    find: "url.protocol === 'https:' || isLocalUrl(url)",
    replace: "url.protocol === 'https:' || url.protocol === 'http:'",
    tests: 'core/outbound core/routes',
  },
  {
    name: 'a protocol field is given once',
    find: 'if (!fields.has(name)) fields.set(name, value)\n    else if (isStrict(name))',
    replace: 'if (!fields.has(name)) fields.set(name, value)\n    else if (false)',
    tests: 'core/forms',
  },
  {
    name: 'no member sets a prototype',
    find: 'prototypeKeys.includes(key) ? undefined : value',
    replace: 'value',
    tests: 'core/forms',
  },
  {
    name: 'no wildcard is below a host of which anyone can have a sub-domain',
    find: '(?:[\\\\w-]+\\\\.)?replit|',
    replace: '[\\\\w-]+\\\\.replit|',
    tests: 'core/trust-host',
  },
  {
    name: 'what the browser calls cross-site is not trusted',
    find: "(headers.get('sec-fetch-site') ?? 'same-site') === 'same-site'",
    replace: 'true',
    tests: 'core/trusted-origins',
  },
  {
    name: 'a trusted origin has no path',
    find: 'url?.origin !== value || !/^https',
    replace: '!/^https',
    tests: 'core/trusted-origins',
  },
  // Return URLs
  {
    name: 'the scheme and the port count',
    find: 'url.origin === origin || trustedOrigins.has(url.origin)',
    replace: 'url.hostname === new URL(origin).hostname || trustedOrigins.has(url.origin)',
    tests: 'core/return-url',
  },
  {
    name: 'a return URL has no backslashes',
    find: 'MAX_LENGTH || /[\\\\',
    replace: 'MAX_LENGTH || /[',
    tests: 'core/return-url',
  },
  {
    name: 'a return URL has no control characters',
    find: '\\\\\\u0000-\\u001f',
    replace: '\\\\',
    tests: 'core/return-url',
  },
  {
    name: 'a return URL has no user name',
    find: '!url || url.username || url.password || url.href.length > MAX_LENGTH',
    replace: '!url || url.password || url.href.length > MAX_LENGTH',
    tests: 'core/return-url',
  },
  {
    name: 'a return URL is http(s)',
    find: "url.protocol === 'https:' || url.protocol === 'http:' ? url : null",
    replace: 'url',
    tests: 'core/return-url',
  },
  // The callback of a provider
  {
    name: 'a flow belongs to its provider',
    find: 'if (flow?.provider !== provider.id) {',
    replace: 'if (!flow) {',
    tests: 'core/flow',
  },
  {
    name: 'the state must match the flow',
    find: 'if (!equalInConstantTime(await toState(token, flow.salt), state)) {',
    replace: 'if (false) {',
    tests: 'core/flow',
  },
  {
    name: 'each flow has its own nonce',
    find: 'nonce: random()',
    replace: "nonce: 'n'.repeat(43)",
    tests: 'core/id-token',
  },
  {
    name: 'the verifier of PKCE is sent with the code',
    find: "callback.flow['verifier'] ?? oauth.nopkce",
    replace: 'oauth.nopkce',
    tests: 'core/oidc-provider',
  },
  {
    name: 'the issuer of the response is compared',
    find: 'comparesIssuer ? received : removeIssuer(received)',
    replace: 'removeIssuer(received)',
    tests: 'core/hostile-issuer',
  },
  {
    name: 'a link of an email needs the CSRF token of its flow',
    find: 'if (token === undefined || toFlowId(await toState(token, flow.salt)) !== id) return undefined',
    replace: 'if (token === undefined) return undefined',
    tests: 'core/email',
  },
  {
    name: 'a retired CSRF token needs a session made with it',
    find: 'previous !== undefined && session?.csrfTokenHash === (await hashCsrfToken(previous))',
    replace: 'previous !== undefined',
    tests: 'core/flow core/stored-sessions',
  },
  {
    name: 'a callback that was posted for one provider is not one of another',
    find: "if (content?.['provider'] !== provider.id)",
    replace: 'if (!content)',
    tests: 'core/flow',
  },
  {
    name: 'a flow works once',
    find: 'if (await ctx.service.usedOnce.take(replayKey.salt, replayKey.exp, ctx.now)) return flow',
    replace: 'return flow',
    tests: 'core/flow',
  },
  {
    name: 'a parameter of a callback is given once',
    find: "checkNoDuplicates(params, 'OAuthCallback')",
    tests: 'core/flow',
  },
  // ID tokens, userinfo and metadata
  {
    name: 'an endpoint with credentials in its URL is refused with the document',
    find: ' && !(url.username || url.password)',
    tests: 'core/hostile-issuer',
  },
  {
    name: 'the signature of an ID Token is verified',
    find: "await verifySignature(as, response, tokens.id_token ?? '', keys, runtime)",
    tests: 'core/id-token',
  },
  {
    name: 'an ID Token is not of the future',
    find: 'if (claims.iat > now + CLOCK_TOLERANCE) {',
    replace: 'if (false) {',
    tests: 'core/hostile-issuer',
  },
  {
    name: 'an ID Token is for this client (azp)',
    find: 'if (claims.azp !== undefined && claims.azp !== client.client_id) {',
    replace: 'if (false) {',
    tests: 'core/hostile-issuer',
  },
  {
    name: 'an ID Token is of its access token',
    find: "if (claims['at_hash'] !== toBase64url(half)) {",
    replace: 'if (false) {',
    tests: 'core/id-token',
  },
  {
    name: 'what userinfo says of another user refuses the sign-in',
    find: 'if (!isFailure(thrown)) throw thrown',
    tests: 'core/userinfo-failures',
  },
  {
    name: 'a document of the cache is bound to its URL',
    find: 'JSON.stringify([key, content])',
    replace: 'JSON.stringify([content])',
    tests: 'core/metadata-cache',
  },
  // Logout tokens
  {
    name: 'a provider cannot use up the jti of another provider',
    find: 'logout ${provider} ${token.jti}',
    replace: 'logout ${token.jti}',
    tests: 'core/logout',
  },
  {
    name: 'a Logout Token is for this client',
    find: 'audience: openid.clientId,',
    tests: 'core/logout',
  },
  {
    name: "a Logout Token is the issuer's",
    find: "checkClaim('iss', payload.iss === openid.getIssuer(server, payload))",
    tests: 'core/logout',
  },
  {
    name: 'a Logout Token is at most ten minutes old',
    find: 'iat > now - MAX_TOKEN_AGE - TOLERANCE && iat < now + TOLERANCE',
    replace: 'iat < now + TOLERANCE',
    tests: 'core/logout',
  },
  {
    name: 'a Logout Token that has ended sessions ends no later ones',
    find: 'count > 1 || (await spent.getRevokedAt(subject, now)) !== undefined',
    replace: 'count > 1',
    tests: 'core/logout',
  },
  // Sessions and imports
  {
    name: 'a process holds refreshed tokens for their account only',
    find: '[provider.id, providerAccountId, toState(account)]',
    replace: '[toState(account)]',
    tests: 'core/unstored-access-token',
  },
  {
    name: 'a copy in another encoding does not evade a revocation',
    find: "if (!value.split('.').every(isCanonicalBase64url)) return undefined",
    tests: 'core/import',
  },
  {
    name: 'a session without an expiry is not imported',
    in: 'decrypt',
    find: "requiredClaims: ['exp'],",
    tests: 'core/import',
  },
  {
    name: 'a revoked cookie is not imported',
    find: 'if (await isRevoked(importing, secrets, ctx.now)) continue',
    tests: 'core/import',
  },
  {
    name: 'a cookie issued before a revocation is not imported',
    find: '(issuedAt !== undefined && issuedAt > cutOff)',
    replace: 'issuedAt !== undefined',
    tests: 'core/import',
  },
  {
    name: 'a sign-in ends the session of the browser',
    find: 'replaces: session?.id,',
    replace: 'replaces: undefined,',
    tests: 'core/stored-sessions',
  },
  {
    name: 'a sign-out ends the stored session',
    find: 'end: async (events) => session && sessions.end(session, events),',
    replace: 'end: async () => undefined,',
    tests: 'core/stored-sessions',
  },
  {
    name: 'an ended session does not come back',
    find: 'session && !hasEnded(ctx, session.id)',
    replace: 'session',
    tests: 'core/ended-sessions',
  },
  {
    name: 'a lower maxAge ends stored sessions',
    find: 'return expires > now ? { ...session, expires } : undefined',
    replace: 'return { ...session, expires }',
    tests: 'core/stored-sessions',
  },
  {
    name: 'a user who needs a second factor by now keeps no session without it',
    find: 'isEnough = await ctx.service.isStillEnough(session)',
    replace: 'isEnough = true',
    tests: 'second-factor/require-at-renewal',
  },
  {
    name: 'revokeAll ends a session that begins beside it',
    find: '  await ctx.service.storage?.code.checkInProgress(ctx, signIn.userId)\n',
    tests: 'core/ended-sign-ins',
  },
  {
    name: 'a flow that began before revokeAll does not sign in',
    find: 'startedAt < Math.floor(at / 1000)',
    replace: 'startedAt < 0',
    tests: 'core/ended-sign-ins',
  },
  {
    name: 'a link that was sent before revokeAll signs in in no browser',
    find: "const startedAt = getIssueTime(params.get('token') ?? '')",
    replace: 'const startedAt = undefined',
    tests: 'core/ended-sign-ins',
  },
  // Users, accounts and joins
  {
    name: 'of two users with an email address none is joined',
    in: 'findJoined',
    find: ' || others.length > 0',
    tests: 'core/joins-unverified',
  },
  {
    name: 'a provider that does not link joins no user',
    find: '!linkByVerifiedEmail || ',
    tests: 'core/joins-unverified',
  },
  {
    name: 'a session that begins beside the join ends',
    find: '    await revokeAllSessions(ctx.service, userId, { ctx, except, isRepeated: true })\n',
    tests: 'core/joins-unverified',
  },
  {
    name: 'a user with a way to sign in gets no account of another identity',
    find: 'const verifiedEmail = keepsId || !user.emailVerified ? null : user.email',
    replace: 'const verifiedEmail = undefined',
    tests: 'core/callbacks',
  },
  {
    name: 'an account does not outlive the session that ended while it was linked',
    find: 'if (!undo) return changed',
    replace: 'return changed',
    tests: 'account/security-emails-attacks',
  },
  {
    name: 'a flow links in the session in which it began only',
    find: ' || session.id !== sessionId',
    replace: '',
    tests: 'core/accounts',
  },
  {
    name: 'an account of another user is not linked',
    find: 'if (owner?.id !== userId) {',
    replace: 'if (!owner) {',
    tests: 'core/accounts',
  },
  {
    name: 'an email address that another user has verified is not verified again',
    find: 'return !owner || owner.id === user.id',
    replace: 'return true',
    tests: 'core/accounts core/storage-options',
  },
  {
    name: 'credentials do not sign in as the user of another provider',
    find: '(provider.subjectAsUserId || (provesUser(provider) && providers.has(prefix)))',
    replace: 'provider.subjectAsUserId',
    tests: 'core/providers/credentials',
  },
  {
    name: 'the subject of an identity provider is not a user id',
    find: 'if (!provesUser(provider)) return undefined',
    tests: 'core/accounts core/subject-ids',
  },
  {
    name: "an id that a database compares loosely is another user's",
    find: 'if (user?.id !== signIn.user.id) return undefined',
    replace: 'if (!user) return undefined',
    tests: 'core/providers/credentials',
  },
  {
    name: 'an unproven identity links nothing',
    find: '    user.emailVerified &&\n    owner.emailVerified &&',
    replace: '    owner.emailVerified &&',
    tests: 'core/accounts',
  },
  {
    name: 'an unproven email address of a user links nothing',
    find: '    user.emailVerified &&\n    owner.emailVerified &&',
    replace: '    user.emailVerified &&',
    tests: 'core/accounts core/providers/proven-email core/storage-options',
  },
  {
    name: 'an email address of another user is refused before anything is changed',
    find: "if (await isTaken(change, changes)) return { refused: 'taken' }",
    tests: 'core/users',
  },
  {
    name: 'links in emails to the previous email address no longer sign in',
    find: "if (!(await unlinkAll(change, previous))) return { refused: 'last' }",
    tests: 'core/users',
  },
  {
    name: 'a returned password is dropped, whatever its name',
    find: '!isPassword(name) && !holdsPassword(value, passwords)',
    replace: '!isPassword(name)',
    tests: 'core/providers/credentials',
  },
  // Confirmation and the account page
  {
    name: 'the email address is changed by the session that asked',
    in: 'completeEmailChange',
    find: 'session !== undefined && session.id === flow.sessionId',
    replace: 'session !== undefined',
    tests: 'account/account-pages',
  },
  {
    name: 'the identity is the user of the session',
    find: '!(await isUserOf(ctx, session, provider, signIn))',
    replace: 'false',
    tests: 'core/confirmation',
  },
  {
    name: 'an email confirms only at an email address that the user has proven',
    find: '    owner?.emailVerified === true &&\n',
    tests: 'core/confirmation',
  },
  {
    name: 'a provider that does not say when the user authenticated does not confirm',
    find: 'if (!flow.second) checkPresent(signIn.authentication, ctx.now)',
    tests: 'core/confirmation',
  },
  {
    name: 'a session that ended is not confirmed',
    find: 'await storage.updateSession(replaces, { renewedAt, data, expires: ctx.now })',
    replace: 'true',
    tests: 'core/confirmation-races',
  },
  {
    name: 'linking an account needs a recent confirmation',
    find: 'if (!recency || (await recency.isRecent(ctx, change, elapsed))) return',
    replace: 'return',
    tests: 'core/confirmation',
  },
  {
    name: 'a proof becomes old',
    find: 'age <= maxAge && ',
    tests: 'core/confirmation',
  },
  {
    name: 'two factors are not one',
    find: "return factors === 1 || methods.includes('mfa')",
    replace: 'return true',
    tests: 'core/confirmation',
  },
  {
    name: 'the auth_time of a confirmation is checked',
    find: 'if (idToken) checkTime(time, flow)',
    tests: 'core/confirmation',
  },
  {
    name: 'an account is removed after a recent confirmation',
    find: "await asked.checkRecent('link')",
    tests: 'account/account-pages',
  },
  {
    name: 'a deletion needs a recent confirmation',
    find: "  await asked.checkRecent('factor')\n  await createAuthUsers",
    replace: '  await createAuthUsers',
    tests: 'account/account-pages',
  },
  {
    name: 'a second factor that is enrolled meanwhile is proven',
    find: "  await checkRecent(ctx, getAccountUrl(ctx), 'factor', FLOW_LIFETIME)\n",
    tests: 'account/account-pages',
  },
  // Second factor
  {
    name: 'a trusted origin proves no second factor',
    find: "checkOwnOrigin(ctx, 'a second factor')",
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a confirmation asks for the second factor',
    find: "if ('reply' in continued) return continued.reply",
    replace: "if ('reply' in continued) throw new AuthError('AccessDenied', '')",
    tests: 'core/second-factor-ways',
  },
  {
    name: 'a session of a previous service does not spare the second factor',
    in: 'wouldStop',
    find: 'proven?.isNeeded(storage, user)',
    replace: 'false',
    tests: 'core/second-factor-ways',
  },
  {
    name: 'a user with a second factor is asked',
    find: 'if (isEnrolled(settings.methods, factors)) {',
    replace: 'if (factors.length > 5) {',
    tests: 'core/second-factor-ways',
  },
  {
    name: 'a remembered browser does not spare a confirmation',
    find: 'isSigningIn && first.identity.pending === undefined',
    replace: 'first.identity.pending === undefined',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a user who needs a second factor enrols one',
    find: '!(await isRequired(settings, asked))',
    replace: 'true',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'the first factor still belongs to the user',
    find: 'second.userId !== userId',
    replace: 'false',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'an amr that is not trusted satisfies nothing',
    find: 'amr.some((method) => trustAmr.includes(method))',
    replace: 'amr.length > 0',
    tests: 'second-factor/trust-amr',
  },
  {
    name: 'a code works once',
    find: 'if (!changes || (await storage.updateFactor(type, id, factor.version, changes))) return true',
    replace:
      'if (changes) await storage.updateFactor(type, id, factor.version, changes)\n    return true',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'revokeAll ends unfinished sign-ins',
    find: 'return { changedAt: toChangeTime(now, changedAt) }',
    replace: 'return { changedAt }',
    tests: 'core/second-factor-ways',
  },
  {
    name: 'the last second factor of a user who needs one stays',
    find: "if (await service.capabilities.proven?.mustStay(service, held, options)) return 'last'",
    tests: 'core/auth-factors',
  },
  {
    name: 'an enrolment needs a recent confirmation',
    in: 'beginEnrolment',
    find: "await checkRecent(ctx, isPage ? getEnrolUrl(ctx, callbackUrl) : callbackUrl, 'factor')",
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a first second factor ends the other sessions',
    find: 'if (!isFirst) return store()',
    replace: 'return store()',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a step has five attempts',
    find: 'await spendLimit(ctx, perStep, `${kind} ${step.salt}`)',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'a change of the factors ends a step',
    find: 'toFingerprint(factors) !== step.factors || ',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'what ends sessions ends a step',
    find: ' || (await isEnded(ctx, step))',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'a code that is used while sessions end begins none',
    find: '    if (factor.changedAt !== listed.changedAt) return undefined\n',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'the code is compared',
    find: '  const methods = await useFactor(ctx, settings.methods, posted)\n',
    replace: '  const methods = method.isProvider ? [] : method.methods\n',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a Logout Token ends the sign-ins that began before it',
    find: 'endedAt >= since',
    replace: 'false',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'a change of a factor ends a remembered browser',
    find: 'JSON.stringify([userId, fingerprint])',
    replace: 'JSON.stringify([userId])',
    tests: 'core/second-factor-attacks',
  },
  {
    name: 'a step is bound to the CSRF token',
    find: 'equalInConstantTime(await hashCsrfToken(token), content.csrfTokenHash)',
    replace: 'true',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'a step works once',
    find: 'if (await ctx.service.usedOnce.take(`second ${salt}`, exp, ctx.now)) return',
    replace: 'return\n  await ctx.service.usedOnce.take(`second ${salt}`, exp, ctx.now)',
    tests: 'second-factor/second-factor',
  },
  {
    name: 'no session begins beside the first second factor',
    find: 'toFingerprint(held) === factors',
    replace: 'true',
    tests: 'second-factor/second-factor-meanwhile',
  },
  // Links, tokens for APIs, and limits
  {
    name: 'a token of a link to an account does not sign in',
    find: 'JSON.stringify([providerId, purpose, identifier, token])',
    replace: 'JSON.stringify([providerId, identifier, token])',
    tests: 'core/email core/accounts',
  },
  {
    name: 'a token is for one email address',
    find: 'JSON.stringify([providerId, purpose, identifier, token])',
    replace: 'JSON.stringify([providerId, purpose, token])',
    tests: 'core/email',
  },
  {
    name: 'a link ends sessions once',
    find: 'if (!(await service.usedOnce.take(`end sessions ${id}`, exp, now)))',
    replace: 'if (false)',
    tests: 'account/security-emails-link',
  },
  {
    name: 'a link works for 24 hours',
    find: 'now + LINK_LIFETIME',
    replace: 'now + 2 * LINK_LIFETIME',
    tests: 'account/security-emails-link',
  },
  {
    name: 'no request chooses the host of a link',
    find: 'if (origin === undefined) {',
    replace: 'if (false) {',
    tests: 'account/security-emails',
  },
  {
    name: "a token is the issuer's",
    find: '    issuer,\n    audience,\n    typ',
    replace: '    audience,\n    typ',
    tests: 'tokens/api-tokens',
  },
  {
    name: 'another JWT of the service is not a token for APIs',
    in: 'createTokenVerifier',
    find: "typ: 'at+jwt',",
    tests: 'tokens/api-tokens',
  },
  {
    name: 'a token has one audience',
    find: "typeof aud === 'string' && ",
    tests: 'tokens/api-tokens',
  },
  {
    name: 'white space around a name does not escape its limit',
    find: "if (letters !== '') return letters",
    tests: 'core/providers/credentials',
  },
  {
    name: 'failures at one provider do not count at another',
    find: 'limitAttempt(ctx, `${provider.id} ${name}`, browserId)',
    replace: 'limitAttempt(ctx, name, browserId)',
    tests: 'core/providers/credentials',
  },
  // Passwords
  {
    name: 'NFKC makes no email address of another user',
    find: "email.normalize('NFKC') !== email",
    replace: 'false',
    tests: 'passwords/import-refusals',
  },
  {
    name: 'a hash is added only to the user of the email address',
    find: "if (!getsEmail && !isSameEmail(user.email, row.email)) return { reason: 'idTaken' }",
    tests: 'passwords/import-existing',
  },
  {
    name: 'a wrong password does not sign in',
    find: 'if (!found || !isRight)',
    replace: 'if (!found)',
    tests: 'passwords/service',
  },
  {
    name: 'the mailbox of another email address resets nothing',
    find: "=> type === 'email' && providerAccountId ===",
    replace: "=> type === 'email' || providerAccountId ===",
    tests: 'passwords/attacks',
  },
  {
    name: 'a reset waits for the user of the email address',
    find: "user?.id !== identity.subject || kind !== 'reset'",
    replace: '!user',
    tests: 'passwords/reset-second-factor',
  },
  {
    name: 'an email links only to a host that the application names',
    find: 'linkHost(host) === true',
    replace: 'linkHost(host) !== undefined',
    tests: 'passwords/link-host',
  },
  {
    name: 'no request chooses the host of a link',
    in: 'checkLinkHosts',
    find: 'if (trustHost === true) {',
    replace: 'if (Array.isArray(linkHost)) {',
    tests: 'passwords/link-host',
  },
  {
    name: 'a proof is of the password that was typed',
    find: 'if (!isSame ||',
    replace: 'if (!factor ||',
    tests: 'passwords/prehijack',
  },
  {
    name: 'a proof is of the email address that was asked',
    find: 'updateUser(userId, {',
    replace: 'updateUser(userId, { emailVerified: true } ?? {',
    tests: 'passwords/races',
  },
  {
    name: 'a reset that cannot end the sessions leaves the password',
    find: 'await revokeAllSessions(ctx.service, userId, { except, ctx })',
    tests: 'passwords/changes',
  },
  {
    name: 'a trusted origin chooses no password',
    find: "  checkOwnOrigin(ctx, 'a password')\n  await startLimit(ctx)\n  const params",
    replace: '  await startLimit(ctx)\n  const params',
    tests: 'passwords/changes',
  },
  {
    name: 'a session that begins while its password is changed ends',
    find: 'if (found?.factor.changedAt === changedAt) return',
    replace: 'if (found || !begun) return',
    tests: 'passwords/changes',
  },
  // Passkeys
  {
    name: 'the credential is scoped to the RP ID',
    find: '!equalBytes(rpIdHash, await sha256(new TextEncoder().encode(rpId)))',
    replace: 'false',
    tests: 'passkeys/authenticator-data',
  },
  {
    name: 'the user was present',
    find: "if (!isAutomatic && !flags.userPresent) throw refused('the user was not present')",
    tests: 'passkeys/authenticator-data',
  },
  {
    name: 'required user verification is checked',
    find: "if (!isAutomatic && isRequired && !flags.userVerified) throw refused('the user was not verified')",
    tests: 'passkeys/authenticator-data',
  },
  {
    name: 'a registration is not an authentication',
    find: "if (readText(clientData, 'type') !== type) throw refused(`the type is not ${type}`)",
    tests: 'passkeys/client-data',
  },
  {
    name: 'the challenge is the one of this browser',
    find: "readText(clientData, 'challenge') !== expected.challenge",
    replace: 'false',
    tests: 'passkeys/client-data',
  },
  {
    name: 'the origin is expected',
    find: "!expected.origins.includes(readText(clientData, 'origin'))",
    replace: 'false',
    tests: 'passkeys/client-data',
  },
  {
    name: 'a key of small order is refused',
    find: 'key.algorithm === -8 && hasSmallOrder(key.x)',
    replace: 'false',
    tests: 'passkeys/public-keys',
  },
  {
    name: 'the signature is verified',
    find: '!(await verifySignature(parseStoredKey(credential), signature, message))',
    replace: 'false',
    tests: 'passkeys/credentials',
  },
  {
    name: 'only the credentials of the options are allowed',
    find: 'allowCredentials.length > 0 && !allowCredentials.includes(credentialId)',
    replace: 'false',
    tests: 'passkeys/credentials',
  },
  {
    name: 'the user handle is the one of the user',
    find: "if (userHandle !== expected.userHandle) throw refused('the user handle is another one')",
    tests: 'passkeys/credentials',
  },
  {
    name: 'the certificates have a trusted root',
    find: 'await validateCertificatePath(withoutRoot, [...roots])',
    tests: 'passkeys/certificates',
  },
  {
    name: 'a point is on its curve',
    in: 'checkPublicKey',
    find: 'await importPublicKey(key)\n',
    replace: '\n',
    tests: 'passkeys/public-keys',
  },
  {
    name: "another user's passkey proves nothing",
    find: 'if (isUserKnown && assertion.userId !== factor.userId)',
    replace: 'if (false)',
    tests: 'passkeys/second-factor',
  },
  {
    name: 'a passkey of another RP ID does not sign in',
    find: "if (passkey.rpId !== rpId) throw refused('the passkey was made for another RP ID')",
    tests: 'passkeys/attacks',
  },
  {
    name: 'a challenge belongs to a CSRF token',
    find: "if (!equalInConstantTime(csrfTokenHash, state['csrfTokenHash'] ?? ''))",
    replace: "if (csrfTokenHash === '')",
    tests: 'passkeys/attacks',
  },
  {
    name: 'the second factor is of another kind',
    find: 'if (salt !== found.asked.step || !isOther)',
    replace: 'if (salt !== found.asked.step)',
    tests: 'passkeys/second-factor',
  },
  {
    name: "another user's passkey confirms nothing",
    find: 'isConfirming ? session?.token.sub : undefined',
    replace: 'undefined',
    tests: 'passkeys/attacks',
  },
  // Codes of apps and recovery codes
  {
    name: 'the code of the next step but one is refused',
    find: 'step <= current + TOLERANCE',
    replace: 'step <= current + 2 * TOLERANCE',
    tests: 'second-factor/totp',
  },
  {
    name: 'a code that two steps have in common is not accepted again in the later one',
    find: 'found = step',
    replace: 'found ??= step',
    tests: 'second-factor/totp',
  },
  {
    name: 'a wrong code is refused',
    find: 'if (unused.length === hashes.length) return undefined',
    tests: 'second-factor/recovery-codes',
  },
  {
    name: 'a code works once',
    find: '{ salt, hashes: unused }',
    replace: '{ salt, hashes }',
    tests: 'second-factor/recovery-codes',
  },
  {
    name: 'the storage has the key sealed only',
    in: 'acceptCode',
    find: 'await sealer.seal(secret)',
    replace: 'secret',
    tests: 'second-factor/totp',
  },
]
