/** One fault in a model, with which ProVerif must find an attack. */
export interface Fault {
  /** The beginning of the comment of the query that the fault breaks. */
  readonly breaks: string
  /** What the fault is, in a few words. */
  readonly reason: string
  /** The text to replace, which the model has exactly once. */
  readonly text: string
  /** Default: the text is removed */
  readonly replacement?: string
  /** A second text to replace, if two checks refuse the same attack. */
  readonly also?: Pick<Fault, 'text' | 'replacement'>
}

/** The models that `pnpm prove` proves, and one fault for each query, which shows that it can fail. */
export const faults: Readonly<Record<string, readonly Fault[]>> = {
  'sign-in.pv': [
    {
      breaks: 'secret: the session of a user without',
      reason: 'the state is not bound to the CSRF token',
      text: 'toState(token: bitstring, salt: bitstring) = hash((token, salt))',
      replacement: 'toState(token: bitstring, salt: bitstring) = hash(salt)',
    },
    {
      breaks: 'secret: the session of a user whose codes leak',
      reason: 'an unfinished sign-in is not bound to the CSRF token',
      text: 'a: bitstring, =token) = open(secondKey',
      replacement: 'a: bitstring, other: bitstring) = open(secondKey',
    },
    {
      breaks: 'secret: the session of a user whose first factor',
      reason: 'the code is not checked',
      text: 'if x = code(factorKey(a), step) then',
    },
    {
      breaks: 'agreement',
      reason: 'a form of another site begins a sign-in',
      text: 'if field = token then\n  new salt',
      replacement: 'new salt',
    },
    {
      breaks: 'second factor: the session',
      reason: 'a session begins after the first step',
      text: 'let two(n: name) = subject in (',
      replacement: 'let two(n: name) = missing in (',
    },
    {
      breaks: 'second factor: the same',
      reason: 'a form of another site gives a code',
      text: 'if field = token then\n  let (u: bitstring',
      replacement: 'let (u: bitstring',
    },
    {
      breaks: 'served',
      reason: 'the key of sessions seals an unfinished sign-in',
      text: 'seal(secondKey, (step',
      replacement: 'seal(sessionKey, (step',
    },
  ],
  'confirmation.pv': [
    {
      breaks: 'confirmed',
      reason: 'a form of another site begins a confirmation',
      text: 'if field = token then\n  new salt',
      replacement: 'new salt',
    },
    {
      breaks: 'second factor',
      reason: 'a user with a second factor confirms without it',
      text: 'let account(p: bitstring, two(n: name)) = a in (',
      replacement: 'let account(p: bitstring, two(n: name)) = missing in (',
    },
    {
      breaks: 'secret: the confirmed session, although',
      reason: 'the state is not bound to the CSRF token',
      text: 'toState(token: bitstring, salt: bitstring) = hash((token, salt))',
      replacement: 'toState(token: bitstring, salt: bitstring) = hash(salt)',
    },
    {
      breaks: 'secret: the confirmed session of a user whose codes leak',
      reason: 'an unfinished confirmation is not bound to the CSRF token',
      text: '=a, =token, =s, state: bitstring) = open(secondKey',
      replacement: '=a, other: bitstring, =s, state: bitstring) = open(secondKey',
    },
  ],
  'second-factor.pv': [
    {
      breaks: 'secret: the sessions of a user whose codes leak',
      reason: 'a step is not bound to the CSRF token',
      text: 'f: bitstring, =token, s: bitstring',
      replacement: 'f: bitstring, other: bitstring, s: bitstring',
    },
    {
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the cookie of a browser that spares it is not bound to the user',
      text: 'let (=u, =f) = open(knownKey',
      replacement: 'let (other: bitstring, =f) = open(knownKey',
    },
    {
      breaks: 'secret: the sessions of a user who enrols',
      reason: 'neither a step nor its page is bound to the CSRF token',
      text: 'f: bitstring, =token, s: bitstring',
      replacement: 'f: bitstring, other: bitstring, s: bitstring',
      also: {
        text: 'f: bitstring, =token, began: bitstring',
        replacement: 'f: bitstring, other: bitstring, began: bitstring',
      },
    },
    {
      breaks: 'second factor: a session',
      reason: 'a step works twice',
      text: 'event Taken(salt, j);\n    if why = signIn',
      replacement: 'if why = signIn',
    },
    {
      breaks: 'second factor: the same, if codes',
      reason: 'a form of another site gives a code',
      text: 'if field = token then\n  let (salt',
      replacement: 'let (salt',
    },
    {
      breaks: 'second factor: the same for',
      reason: 'an enrolment works twice',
      text: 'event Taken(salt, j);\n    if why = enrolAtSignIn',
      replacement: 'if why = enrolAtSignIn',
    },
    {
      breaks: 'spared',
      reason: 'the cookie of a browser that spares it is not bound to the factors',
      text: 'let (=u, =f) = open(knownKey',
      replacement: 'let (=u, other: bitstring) = open(knownKey',
    },
    {
      breaks: 'agreement',
      reason: 'a confirmation is completed as a sign-in',
      text: 'let (salt: bitstring, why: purpose,',
      replacement: 'in(network, why: purpose);\n  let (salt: bitstring, other: purpose,',
    },
    {
      breaks: 'confirmed',
      reason: 'another session of the user is confirmed',
      text: 'if s = began then',
    },
    {
      breaks: 'enrolled',
      reason: 'a factor is added in another session',
      text: ') else if current = s then',
      replacement: ') else',
    },
    {
      breaks: 'secret factor: another',
      reason: 'the storage has the secret unsealed',
      text: 'out(network, seal(factorKey, (u, seed))).',
      replacement: 'out(network, (u, seed)).',
    },
    {
      breaks: 'secret factor: the first',
      reason: 'the client chooses the secret of a new factor',
      text: 'new seed: bitstring;\n    AskSecond(reply, token, enrolAtSignIn',
      replacement: 'in(network, seed: bitstring);\n    AskSecond(reply, token, enrolAtSignIn',
    },
    {
      breaks: 'changed',
      reason: 'a step is completed after the factors have changed',
      text: 'if f = now then\n    let (=u',
      replacement: 'let (=u',
    },
    {
      breaks: 'kept',
      reason: 'a session that begins while the factors change is given',
      text: 'if f = now then\n  event Kept',
      replacement: 'event Kept',
    },
  ],
  'email.pv': [
    {
      breaks: 'secret: the sessions of an email address',
      reason: 'the token is not bound to its purpose',
      text: 'mac(tokenKey, (t, why, a))',
      replacement: 'mac(tokenKey, (t, a))',
    },
    {
      breaks: 'proof',
      reason: 'the token is not bound to the email address',
      text: 'mac(tokenKey, (t, why, a))',
      replacement: 'mac(tokenKey, (t, why))',
    },
    {
      breaks: 'once',
      reason: 'a code works after its link',
      text: 'event Taken(id, i);\n    Complete(',
      replacement: 'Complete(',
    },
    {
      breaks: 'voided',
      reason: 'the link works after the last wrong code',
      text: 'event Taken(id, i);\n    event Voided(id)',
      replacement: 'event Voided(id)',
    },
    {
      breaks: 'agreement',
      reason: 'a form of another site asks for an email',
      text: 'if field = token then\n  new t',
      replacement: 'new t',
    },
    {
      breaks: 'linked',
      reason: 'a form of another site asks for an email that links',
      text: 'if field = token then\n  new t',
      replacement: 'new t',
    },
    {
      breaks: 'mailbox',
      reason: 'an email that links has a code',
      text: 'let hasCode = not(why = link || why = changeEmail) in',
      replacement: 'let hasCode = true in',
    },
    {
      breaks: 'confirmed',
      reason: 'a wrong code confirms',
      text: 'if c = mac(codeKey, (id, x)) then (',
      replacement: 'if true then (',
    },
    {
      breaks: 'secret: the confirmed session',
      reason: 'a confirmed session keeps its id',
      text: 'new n: bitstring;\n',
      replacement: 'let n = s in\n',
    },
  ],
  'passwords.pv': [
    {
      breaks: 'reset',
      reason: 'the previous password still signs in after a reset',
      text: 'isCurrent(old, before) = true',
      replacement: 'forall m: moment; isCurrent(old, m) = true',
    },
    {
      breaks: 'chosen',
      reason: 'a link is not bound to the email address',
      text: 'mac(tokenKey, (t, a))',
      replacement: 'mac(tokenKey, t)',
    },
    {
      breaks: 'once',
      reason: 'a link works twice',
      text: 'event Taken(toId(t, a), i);\n  ( (get',
      replacement: '( (get',
    },
    {
      breaks: 'secret: the sessions of a new user',
      reason: 'an account exists before its mailbox is proven, with the password of the asker',
      text: 'Send(a, t, m).',
      replacement: 'insert passwords(carol, created(carol), carol, only);\n  Send(a, t, m).',
    },
    {
      breaks: 'others',
      reason: 'a mailbox adds a password to other ways to sign in',
      text: 'if way = byPassword then',
    },
    {
      breaks: 'prepared',
      reason: 'a link reaches the user of an import',
      text: 'let u = created(a) in',
      replacement: 'let u = imported(a) in',
    },
    {
      breaks: 'imported',
      reason: 'a form of another site signs in with the password of an import',
      text: 'if field = token then\n  get importedPasswords',
      replacement: 'get importedPasswords',
    },
    {
      breaks: 'secret: the sessions of an imported user',
      reason: 'the password of an import signs in without the mailbox',
      text: 'get importedPasswords(=a, u, =w) in\n  new t',
      replacement:
        'get importedPasswords(=a, u, =w) in\n  insert compared(reply, u, only);\n  new t',
    },
    {
      breaks: 'agreement',
      reason: 'a form of another site chooses a password',
      text: 'if field = token then\n  get links(=toId(t, a), issued) in',
      replacement: 'get links(=toId(t, a), issued) in',
    },
  ],
  'passkeys.pv': [
    {
      breaks: 'secret: the sessions of a user who gives answers',
      reason: 'a challenge is not bound to the CSRF token',
      text: '=s, =token, bound: bitstring)',
      replacement: '=s, other: bitstring, bound: bitstring)',
    },
    {
      breaks: 'secret: the sessions of a user whose authenticator is stolen',
      reason: 'the flag of user verification is not checked',
      text: 'if v = verified then',
    },
    {
      breaks: 'agreement',
      reason: 'a form of another site requests options',
      text: 'if field = token then\n  if why = signIn',
      replacement: 'if why = signIn',
    },
    {
      breaks: 'received',
      reason: 'a browser gets two sessions for one answer',
      text: 'event Taken(c, i);',
    },
    {
      breaks: 'purpose',
      reason: 'the answer of a sign-in is accepted for a confirmation',
      text: 'if why = signIn then BeginSession(reply, why, u, c)\n  else if why = confirm then (',
      replacement: 'if why = signIn || why = confirm then (',
    },
    {
      breaks: 'once',
      reason: 'a challenge works twice',
      text: 'event Taken(c, i);',
    },
    {
      breaks: 'own',
      reason: 'a form of another site gives an answer',
      text: 'if field = token then\n  let (why: purpose',
      replacement: 'let (why: purpose',
    },
    {
      breaks: 'confirmed',
      reason: 'the answer of a sign-in confirms',
      text: 'if why = signIn then BeginSession(reply, why, u, c)\n  else if why = confirm then (',
      replacement: 'if why = signIn || why = confirm then (',
    },
    {
      breaks: 'secret: the confirmed session',
      reason: 'a challenge is bound to neither the session nor the CSRF token',
      text: '=s, =token, bound: bitstring)',
      replacement: 'began: bitstring, other: bitstring, bound: bitstring)',
    },
    {
      breaks: 'registered',
      reason: 'a session that is not confirmed registers a passkey',
      text: 'get confirmedSessions(=s) in',
    },
  ],
  'passkey-factor.pv': [
    {
      breaks: 'secret: the sessions of a user whose password',
      reason: 'the origin of a second factor is not checked',
      text: 'if first = password then\n  if o = service then',
      replacement: 'if first = password then',
    },
    {
      breaks: 'secret: the sessions of a user whose unverified passkey',
      reason: 'a stolen unverified passkey signs in without another factor',
      text: 'if made = verified then (',
      replacement: 'if made = made then (',
    },
    {
      breaks: 'second factor',
      reason: 'the challenge of another step is accepted',
      text: 'if salt = bound then',
    },
    {
      breaks: 'other',
      reason: 'a passkey completes the step that a passkey began',
      text: 'if first = password then\n',
    },
    {
      breaks: 'single',
      reason: 'an unverified passkey counts as two factors',
      text: 'if made = verified then (',
      replacement: 'if made = made then (',
    },
    {
      breaks: 'once',
      reason: 'a step works twice',
      text: 'if owner = u then\n  event Taken(salt, i);',
      replacement: 'if owner = u then',
    },
  ],
  'logout.pv': [
    {
      breaks: 'signed out',
      reason: 'a form of another site signs out',
      text: 'if field = token then\n  event SignedOut(b, s);',
      replacement: 'event SignedOut(b, s);',
    },
    {
      breaks: 'late',
      reason: 'latchkey.ended is not read',
      text: 'if s <> ended then',
    },
    {
      breaks: 'ended',
      reason: 'a form of another site ends a session',
      text: 'if field = token then\n  get sessions(t, owner, q, r) in',
      replacement: 'get sessions(t, owner, q, r) in',
    },
    {
      breaks: 'all',
      reason: 'the token of the link is not compared',
      text: 'get endLinks(=id) in',
    },
    {
      breaks: 'once',
      reason: 'a link works twice',
      text: 'event Taken(id, i);',
    },
    {
      breaks: 'logout: ',
      reason: 'the Logout Token of another client is accepted',
      text: 'if aud = service then',
    },
    {
      breaks: 'logout once',
      reason: 'a Logout Token works twice',
      text: 'event Taken((p, j), i);',
    },
  ],
  'authorization-server.pv': [
    {
      breaks: 'secret: the token of a request',
      reason: 'the verifier is not compared',
      text: 'if c = challenge(verifier) then',
    },
    {
      breaks: 'secret: the same',
      reason: 'the issuer of a response is not compared',
      text: 'if issuer = began then',
    },
    {
      breaks: 'second factor',
      reason: 'a session begins after the first step',
      text: 'let two(n: name) = user in (',
      replacement: 'let two(n: name) = us in (',
    },
    {
      breaks: 'consent',
      reason: 'a form of another site consents',
      text: 'if field = token then\n  let (s: bitstring, user',
      replacement: 'let (s: bitstring, user',
    },
    {
      breaks: 'single use',
      reason: 'an authorization code is not used up',
      text: 'event Taken(x, t);\n',
    },
    {
      breaks: 'injection',
      reason: 'the verifier is not compared',
      text: 'if c = challenge(verifier) then',
    },
  ],
}
