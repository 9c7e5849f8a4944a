import type { ModelFault } from '../model-mutant.ts'

/** The faults of confirmation.pv, in the order of its lines. */
export const confirmationFaults: readonly ModelFault[] = [
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
]
