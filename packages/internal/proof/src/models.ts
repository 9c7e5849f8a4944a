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
export const models: readonly string[] = ['sign-in.pv', 'confirmation.pv']

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
]

function inModel(file: string, rows: readonly Omit<ModelMutant, 'file'>[]): ModelMutant[] {
  return rows.map((row) => ({ file, ...row }))
}
