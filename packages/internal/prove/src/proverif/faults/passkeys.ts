import type { ModelFault } from '../model-mutant.ts'

/** The faults of passkeys.pv, in the order of its lines. */
export const passkeysFaults: readonly ModelFault[] = [
  {
    text: 'event(Stored(x, i)) && event(Stored(x, j)) ==> i = j.',
    replacement: 'event(Stored(x, i)) && event(Stored(x, j)) ==> true.',
    also: { text: 'if h = handle then\n', replacement: '' },
    breaks: 'own',
    reason: 'a credential ID can be stored twice, and the user handle is not compared',
  },
  {
    text: 'if field = token then\n  if why = signIn',
    replacement: 'if why = signIn',
    breaks: 'agreement',
    reason: 'a form of another site requests options',
  },
  {
    text: 'get confirmedSessions(=s) in',
    breaks: 'registered',
    reason: 'a session that is not confirmed registers a passkey',
  },
  {
    text: 'if field = token then\n  let (why: purpose',
    replacement: 'let (why: purpose',
    breaks: 'own',
    reason: 'a form of another site gives an answer',
  },
  {
    text: '=s, =token, bound: bitstring)',
    replacement: '=s, other: bitstring, bound: bitstring)',
    breaks: 'secret: the sessions of a user who gives answers',
    reason: 'a challenge is not bound to the CSRF token',
  },
  {
    text: '=s, =token, bound: bitstring)',
    replacement: 'began: bitstring, other: bitstring, bound: bitstring)',
    breaks: 'secret: the confirmed session',
    reason: 'a challenge is bound to neither the session nor the CSRF token',
  },
  {
    text: 'event Taken(c, i);',
    breaks: 'once',
    reason: 'a challenge works twice',
  },
  {
    text: 'if o = service then',
    breaks: 'secret: the sessions of a user who gives answers',
    reason: 'the origin is not checked',
  },
  {
    text: 'if v = verified then',
    breaks: 'secret: the sessions of a user whose authenticator is stolen',
    reason: 'the flag of user verification is not checked',
  },
  {
    text: 'if verify(k, (get_, c, o, v), x) = true then',
    breaks: 'secret: the sessions of a user who gives answers',
    reason: 'the signature is not verified',
  },
  {
    text: 'if why = signIn then BeginSession(reply, why, u, c)\n  else if why = confirm then (',
    replacement: 'if why = signIn || why = confirm then (',
    breaks: 'confirmed',
    reason: 'the answer of a sign-in confirms',
  },
  {
    text: 'if found = u then',
    breaks: 'secret: the confirmed session',
    reason: 'the passkey of another user confirms the session',
  },
  {
    text: 'new n: bitstring;\n',
    replacement: 'let n = s in\n',
    breaks: 'secret: the confirmed session',
    reason: 'a confirmed session keeps its id',
  },
  {
    text: 'if why = signIn then BeginSession(reply, why, u, c)\n  else if why = confirm then (',
    replacement: 'if why = signIn || why = confirm then (',
    breaks: 'purpose',
    reason: 'the answer of a sign-in is accepted for a confirmation',
  },
  {
    text: 'event Taken(c, i);',
    breaks: 'received',
    reason: 'a browser gets two sessions for one answer',
  },
]
