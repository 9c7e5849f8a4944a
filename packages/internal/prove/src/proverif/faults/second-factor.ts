import type { ModelFault } from '../model-mutant.ts'

/** The faults of second-factor.pv, in the order of its lines. */
export const secondFactorFaults: readonly ModelFault[] = [
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
]
