import type { ModelFault } from '../model-mutant.ts'

/** The faults of sign-in.pv, in the order of its lines. */
export const signInFaults: readonly ModelFault[] = [
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
]
