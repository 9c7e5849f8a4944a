import type { ModelFault } from '../model-mutant.ts'

/** The faults of email.pv, in the order of its lines. */
export const emailFaults: readonly ModelFault[] = [
  {
    text: 'toMac(token: bitstring, s: bitstring) = mac(csrfKey, (token, s))',
    replacement: 'toMac(token: bitstring, s: bitstring) = mac(csrfKey, token)',
    also: { text: 'if began = s then', replacement: '' },
    breaks: 'linked',
    reason: 'neither the CSRF token nor the flow is bound to the session',
  },
  {
    text: 'mac(tokenKey, (t, why, a))',
    replacement: 'mac(tokenKey, (t, a))',
    breaks: 'secret: the sessions of an email address',
    reason: 'the token is not bound to its purpose',
  },
  {
    text: 'mac(tokenKey, (t, why, a))',
    replacement: 'mac(tokenKey, (t, why))',
    breaks: 'proof',
    reason: 'the token is not bound to the email address',
  },
  {
    text: 'if field = token then\n  new t',
    replacement: 'new t',
    breaks: 'agreement',
    reason: 'a form of another site asks for an email',
  },
  {
    text: 'if field = token then\n  new t',
    replacement: 'new t',
    breaks: 'linked',
    reason: 'a form of another site asks for an email that links',
  },
  {
    text: 'let hasCode = not(why = link || why = changeEmail) in',
    replacement: 'let hasCode = true in',
    breaks: 'mailbox',
    reason: 'an email that links has a code',
  },
  {
    text: 'new n: bitstring;\n',
    replacement: 'let n = s in\n',
    breaks: 'secret: the confirmed session',
    reason: 'a confirmed session keeps its id',
  },
  {
    text: 'if u = a then',
    breaks: 'secret: the confirmed session',
    reason: 'another mailbox confirms the session',
  },
  {
    text: 'let (=token, why: purpose, began: bitstring, sentTo',
    replacement: 'let (other: bitstring, why: purpose, began: bitstring, sentTo',
    breaks: 'secret: the confirmed session',
    reason: 'a link is not bound to the CSRF token of the browser',
  },
  {
    text: '=hash(t), other: bitstring, c: bitstring) = open(flowKey',
    replacement: 'h: bitstring, other: bitstring, c: bitstring) = open(flowKey',
    breaks: 'agreement',
    reason: 'a link of another sign-in signs in without a page',
  },
  {
    text: 'if field = token then\n  let id = toId(t, signIn, a) in',
    replacement: 'let id = toId(t, signIn, a) in',
    breaks: 'agreement',
    reason: 'another site posts the page of a link',
  },
  {
    text: 'get tokens(=id) in\n  new i: bitstring;\n  event Taken(id, i);\n  Complete(reply, s, signIn, missing, a, id).',
    replacement: 'get tokens(=id) in\n  Complete(reply, s, signIn, missing, a, id).',
    breaks: 'secret: the sessions of an email address',
    reason: 'a link works twice',
  },
  {
    text: 'let (=token, why: purpose, began: bitstring, a: bitstring',
    replacement: 'let (other: bitstring, why: purpose, began: bitstring, a: bitstring',
    breaks: 'secret: the sessions of an email address',
    reason: 'a code is not bound to the CSRF token of the browser',
  },
  {
    text: 'if c = mac(codeKey, (id, x)) then (',
    replacement: 'if true then (',
    breaks: 'proof',
    reason: 'the code is not checked',
  },
  {
    text: 'if c = mac(codeKey, (id, x)) then (',
    replacement: 'if true then (',
    breaks: 'confirmed',
    reason: 'a wrong code confirms',
  },
  {
    text: 'event Taken(id, i);\n    Complete(',
    replacement: 'Complete(',
    breaks: 'once',
    reason: 'a code works after its link',
  },
  {
    text: 'event Taken(id, i);\n    event Voided(id)',
    replacement: 'event Voided(id)',
    breaks: 'voided',
    reason: 'the link works after the last wrong code',
  },
]
