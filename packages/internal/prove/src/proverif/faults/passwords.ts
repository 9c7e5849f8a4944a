import type { ModelFault } from '../model-mutant.ts'

/** The faults of passwords.pv, in the order of its lines. */
export const passwordsFaults: readonly ModelFault[] = [
  {
    text: 'isCurrent(old, before) = true',
    replacement: 'forall m: moment; isCurrent(old, m) = true',
    breaks: 'reset',
    reason: 'the previous password still signs in after a reset',
  },
  {
    text: 'isCurrent(new_, between) = true',
    replacement: 'isCurrent(old, between) = true',
    also: {
      text: 'reduc isAlive(after) = true.',
      replacement: 'reduc isAlive(between) = true; isAlive(after) = true.',
    },
    breaks: 'reset',
    reason: 'a reset ends the sessions before it stores the password, and not after it',
  },
  {
    text: 'reduc isAlive(after) = true.',
    replacement: 'reduc forall m: moment; isAlive(m) = true.',
    breaks: 'reset',
    reason: 'a reset ends no session',
  },
  {
    text: 'reduc worksAt(before, before) = true;',
    replacement: 'reduc forall m: moment; worksAt(before, m) = true;',
    breaks: 'reset',
    reason: 'a reset ends no other link',
  },
  {
    text: 'mac(tokenKey, (t, a))',
    replacement: 'mac(tokenKey, t)',
    breaks: 'chosen',
    reason: 'a link is not bound to the email address',
  },
  {
    text: 'Send(a, t, m).',
    replacement: 'insert passwords(carol, created(carol), carol, only);\n  Send(a, t, m).',
    breaks: 'secret: the sessions of a new user',
    reason: 'an account exists before its mailbox is proven, with the password of the asker',
  },
  {
    text: 'if field = token then\n  get links(=toId(t, a), issued) in',
    replacement: 'get links(=toId(t, a), issued) in',
    breaks: 'agreement',
    reason: 'a form of another site chooses a password',
  },
  {
    text: 'event Taken(toId(t, a), i);\n  ( (get',
    replacement: '( (get',
    breaks: 'once',
    reason: 'a link works twice',
  },
  {
    text: 'event Taken(toId(t, a), i);\n  ( (get',
    replacement: '( (get',
    breaks: 'chosen',
    reason: 'a used link works again',
  },
  {
    text: 'let u = created(a) in',
    replacement: 'let u = imported(a) in',
    breaks: 'prepared',
    reason: 'a link reaches the user of an import',
  },
  {
    text: 'if way = byPassword then',
    breaks: 'others',
    reason: 'a mailbox adds a password to other ways to sign in',
  },
  {
    text: 'if field = token then\n  get passwords(=a',
    replacement: 'get passwords(=a',
    breaks: 'agreement',
    reason: 'a form of another site signs in',
  },
  {
    text: 'get passwords(=a, u, =w, k) in',
    replacement: 'get passwords(=a, u, other, k) in',
    breaks: 'secret: the sessions of a new user',
    reason: 'the password is not compared',
  },
  {
    text: 'if isCurrent(k, m) = true then\n  event Given',
    replacement: 'event Given',
    breaks: 'reset',
    reason: 'a session that begins while the password changes is given',
  },
  {
    text: 'if field = token then\n  get importedPasswords',
    replacement: 'get importedPasswords',
    breaks: 'imported',
    reason: 'a form of another site signs in with the password of an import',
  },
  {
    text: 'get importedPasswords(=a, u, =w) in\n  new t',
    replacement: 'get importedPasswords(=a, u, =w) in\n  insert compared(reply, u, only);\n  new t',
    breaks: 'secret: the sessions of an imported user',
    reason: 'the password of an import signs in without the mailbox',
  },
  {
    text: 'let (=token, u: bitstring, =a, =hash(t)) = open(flowKey, flow) in',
    replacement: 'let u = imported(a) in',
    breaks: 'imported',
    reason: 'the link of an import works in any browser',
  },
]
