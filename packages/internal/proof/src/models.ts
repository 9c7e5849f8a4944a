/** One deliberate fault in a model, with which ProVerif must find an attack. */
export interface ModelMutant {
  /** A file of `models`. */
  readonly file: string
  /** The text to replace, which the model has exactly once. */
  readonly text: string
  /** Default: the text is removed */
  readonly replacement?: string
  /** A second text to replace, if two checks refuse the same attack. */
  readonly also?: Pick<ModelMutant, 'text' | 'replacement'>
  /** The beginning of the comment of the query that the fault breaks. */
  readonly breaks: string
  /** What the fault is, in a few words. */
  readonly reason: string
}

/** The models that `pnpm prove` runs, files of `models`. */
export const models: readonly string[] = ['sign-in.pv', 'confirmation.pv', 'second-factor.pv']

/** Every fault that `pnpm prove` makes, by model and in the order of its lines. */
export const modelMutants: readonly ModelMutant[] = [
  ...inModel('sign-in.pv', [
    {
      text: 'toState(token: bitstring, salt: bitstring) = hash((token, salt))',
      replacement: 'toState(token: bitstring, salt: bitstring) = hash(salt)',
      breaks: 'secret: the session of a user without',
      reason: 'the state is not bound to the CSRF token',
    },
    {
      text: 'if field = token then\n  new salt',
      replacement: 'new salt',
      breaks: 'agreement',
      reason: 'a form of another site begins a sign-in',
    },
    {
      text: 'new verifier: bitstring;',
      replacement: 'let verifier = missing in',
      breaks: 'secret: the session of a user without',
      reason: 'no PKCE',
    },
    {
      text: 'let two(n: name) = subject in (',
      replacement: 'let two(n: name) = missing in (',
      breaks: 'second factor: the session',
      reason: 'a session begins after the first step',
    },
    {
      text: 'seal(secondKey, (step',
      replacement: 'seal(sessionKey, (step',
      breaks: 'served',
      reason: 'the key of sessions seals an unfinished sign-in',
    },
    {
      text: 'let (=p, salt: bitstring',
      replacement: 'let (other: bitstring, salt: bitstring',
      breaks: 'agreement',
      reason: "the callback's provider is not compared with the flow's",
    },
    {
      text: 'let (=p, salt: bitstring',
      replacement: 'let (p: bitstring, salt: bitstring',
      breaks: 'secret: the session of a user without',
      reason: "a code of another provider is sent to the flow's provider (mix-up)",
    },
    {
      text: 'if state = toState(token, salt) then',
      breaks: 'agreement',
      reason: 'no state',
    },
    {
      text: 'event Taken(salt, i);',
      breaks: 'agreement',
      reason: 'a flow works twice',
    },
    {
      text: 'if checkNonce(p, nonce, found) = true then',
      breaks: 'secret: the session of a user without',
      reason: 'no nonce',
    },
    {
      text: 'if field = token then\n  let (u: bitstring',
      replacement: 'let (u: bitstring',
      breaks: 'second factor: the same',
      reason: 'a form of another site gives a code',
    },
    {
      text: 'a: bitstring, =token) = open(secondKey',
      replacement: 'a: bitstring, other: bitstring) = open(secondKey',
      breaks: 'secret: the session of a user whose codes leak',
      reason: 'an unfinished sign-in is not bound to the CSRF token',
    },
    {
      text: 'event Taken(u, i);',
      breaks: 'second factor: the session',
      reason: 'an unfinished sign-in works twice',
    },
    {
      text: 'if x = code(factorKey(a), step) then',
      breaks: 'secret: the session of a user whose first factor',
      reason: 'the code is not checked',
    },
    {
      text: 'if x = code(factorKey(a), step) then',
      replacement: 'in(network, other: bitstring);\n  if x = code(factorKey(other), step) then',
      breaks: 'secret: the session of a user whose first factor',
      reason: 'the code of another user is accepted',
    },
    {
      text: 'event Taken(x, j);',
      breaks: 'secret: the session of a user whose first factor',
      reason: 'a code works twice',
    },
  ]),
  ...inModel('confirmation.pv', [
    {
      text: 'toState(token: bitstring, salt: bitstring) = hash((token, salt))',
      replacement: 'toState(token: bitstring, salt: bitstring) = hash(salt)',
      breaks: 'secret: the confirmed session, although',
      reason: 'the state is not bound to the CSRF token',
    },
    {
      text: 'toMac(token: bitstring, s: bitstring) = mac(csrfKey, (token, s))',
      replacement: 'toMac(token: bitstring, s: bitstring) = mac(csrfKey, token)',
      also: {
        text: 'verifier: bitstring, =s) = open(flowKey',
        replacement: 'verifier: bitstring, other: bitstring) = open(flowKey',
      },
      breaks: 'confirmed',
      reason: 'neither the CSRF token nor the flow is bound to the session',
    },
    {
      text: 'if field = token then\n  new salt',
      replacement: 'new salt',
      breaks: 'confirmed',
      reason: 'a form of another site begins a confirmation',
    },
    {
      text: 'new id: bitstring;',
      replacement: 'let id = s in',
      breaks: 'secret: the confirmed session, although',
      reason: 'a confirmed session keeps its id',
    },
    {
      text: 'if proven = a then',
      breaks: 'confirmed',
      reason: 'another user confirms the session',
    },
    {
      text: 'let account(p: bitstring, two(n: name)) = a in (',
      replacement: 'let account(p: bitstring, two(n: name)) = missing in (',
      breaks: 'second factor',
      reason: 'a user with a second factor confirms without it',
    },
    {
      text: 'if nonce = found then',
      breaks: 'secret: the confirmed session, although',
      reason: 'no nonce',
    },
    {
      text: 'if authTime = anew then',
      breaks: 'confirmed',
      reason: 'the time of the authentication is not checked',
    },
    {
      text: '=a, =token, =s, state: bitstring) = open(secondKey',
      replacement: '=a, other: bitstring, =s, state: bitstring) = open(secondKey',
      breaks: 'secret: the confirmed session of a user whose codes leak',
      reason: 'an unfinished confirmation is not bound to the CSRF token',
    },
    {
      text: 'if x = code(factorKey(a), step) then',
      breaks: 'second factor',
      reason: 'the code is not checked',
    },
    {
      text: 'event Taken(x, j);',
      breaks: 'second factor',
      reason: 'a code works twice',
    },
  ]),
  ...inModel('second-factor.pv', [
    {
      text: 'new seed: bitstring;\n    AskSecond(reply, token, enrolAtSignIn',
      replacement: 'in(network, seed: bitstring);\n    AskSecond(reply, token, enrolAtSignIn',
      breaks: 'secret factor: the first',
      reason: 'the client chooses the secret of a new factor',
    },
    {
      text: 'let (=u, =f) = open(knownKey',
      replacement: 'let (other: bitstring, =f) = open(knownKey',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the cookie of a browser that spares it is not bound to the user',
    },
    {
      text: 'let (=u, =f) = open(knownKey',
      replacement: 'let (=u, other: bitstring) = open(knownKey',
      breaks: 'spared',
      reason: 'the cookie of a browser that spares it is not bound to the factors',
    },
    {
      text: 'f: bitstring, =token, began: bitstring',
      replacement: 'f: bitstring, other: bitstring, began: bitstring',
      breaks: 'secret factor: the first',
      reason: 'the page of an enrolment is not bound to the CSRF token',
    },
    {
      text: 'if found = u then',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the account has got another user since the first step',
    },
    {
      text: 'if f = now then\n  event Kept',
      replacement: 'event Kept',
      breaks: 'kept',
      reason: 'a session that begins while the factors change is given',
    },
    {
      text: 'if s = began then',
      breaks: 'confirmed',
      reason: 'another session of the user is confirmed',
    },
    {
      text: 'out(network, seal(factorKey, (u, seed))).',
      replacement: 'out(network, (u, seed)).',
      breaks: 'secret factor: another',
      reason: 'the storage has the secret unsealed',
    },
    {
      text: 'if field = token then\n  let (salt',
      replacement: 'let (salt',
      breaks: 'second factor: the same, if codes',
      reason: 'a form of another site gives a code',
    },
    {
      text: 'let (salt: bitstring, why: purpose,',
      replacement: 'in(network, why: purpose);\n  let (salt: bitstring, other: purpose,',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'a sign-in is completed as an enrolment',
    },
    {
      text: 'let (salt: bitstring, why: purpose,',
      replacement: 'in(network, why: purpose);\n  let (salt: bitstring, other: purpose,',
      breaks: 'agreement',
      reason: 'a confirmation is completed as a sign-in',
    },
    {
      text: 'f: bitstring, =token, s: bitstring',
      replacement: 'f: bitstring, other: bitstring, s: bitstring',
      breaks: 'secret: the sessions of a user whose codes leak',
      reason: 'a step is not bound to the CSRF token',
    },
    {
      text: 'f: bitstring, =token, s: bitstring',
      replacement: 'f: bitstring, other: bitstring, s: bitstring',
      also: {
        text: 'f: bitstring, =token, began: bitstring',
        replacement: 'f: bitstring, other: bitstring, began: bitstring',
      },
      breaks: 'secret: the sessions of a user who enrols',
      reason: 'neither a step nor its page is bound to the CSRF token',
    },
    {
      text: 'if f = now then\n    let (=u',
      replacement: 'let (=u',
      breaks: 'changed',
      reason: 'a step is completed after the factors have changed',
    },
    {
      text: 'let (=u, proven: bitstring)',
      replacement: 'let (other: bitstring, proven: bitstring)',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the key of a factor is not bound to the user',
    },
    {
      text: 'if x = code(proven, counter) then',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the code is not checked',
    },
    {
      text: 'event Taken(x, i);\n    event Proven(u, now, step);\n    event Taken(salt, j);\n    if why = signIn',
      replacement: 'event Proven(u, now, step);\n    event Taken(salt, j);\n    if why = signIn',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'a code works twice: no compare and set',
    },
    {
      text: 'event Taken(salt, j);\n    if why = signIn',
      replacement: 'if why = signIn',
      breaks: 'second factor: a session',
      reason: 'a step works twice',
    },
    {
      text: 'if f = now then\n    if x',
      replacement: 'if x',
      breaks: 'changed',
      reason: 'an enrolment is completed after the factors have changed',
    },
    {
      text: 'if x = code(seed, counter) then\n    event Taken(x, i);',
      replacement: 'if x = code(seed, counter) then',
      breaks: 'secret: the sessions of a user whose first factor',
      reason: 'the code of an enrolment works again',
    },
    {
      text: 'event Taken(salt, j);\n    if why = enrolAtSignIn',
      replacement: 'if why = enrolAtSignIn',
      breaks: 'second factor: the same for',
      reason: 'an enrolment works twice',
    },
    {
      text: ') else if current = s then',
      replacement: ') else',
      breaks: 'enrolled',
      reason: 'a factor is added in another session',
    },
  ]),
]

function inModel(file: string, rows: readonly Omit<ModelMutant, 'file'>[]): ModelMutant[] {
  return rows.map((row) => ({ file, ...row }))
}
