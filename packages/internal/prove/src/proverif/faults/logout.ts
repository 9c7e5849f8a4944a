import type { ModelFault } from '../model-mutant.ts'

/** The faults of logout.pv, in the order of its lines. */
export const logoutFaults: readonly ModelFault[] = [
  {
    text: 'if field = token then\n  event SignedOut(b, s);',
    replacement: 'event SignedOut(b, s);',
    breaks: 'signed out',
    reason: 'a form of another site signs out',
  },
  {
    text: 'if s <> ended then',
    breaks: 'late',
    reason: 'latchkey.ended is not read',
  },
  {
    text: 'if field = token then\n  get sessions(t, owner, q, r) in',
    replacement: 'get sessions(t, owner, q, r) in',
    breaks: 'ended',
    reason: 'a form of another site ends a session',
  },
  {
    text: 'if owner = u then',
    breaks: 'ended',
    reason: "another user's session is ended",
  },
  {
    text: 'get endLinks(=id) in',
    breaks: 'all',
    reason: 'the token of the link is not compared',
  },
  {
    text: 'event Taken(id, i);',
    breaks: 'once',
    reason: 'a link works twice',
  },
  {
    text: 'if aud = service then',
    breaks: 'logout: ',
    reason: 'the Logout Token of another client is accepted',
  },
  {
    text: 'if e = logout then',
    breaks: 'logout: ',
    reason: 'the event is not checked: an ID Token without a nonce ends a session',
  },
  {
    text: 'if verify(k, (iss, aud, sub, sid, j, e, nonce), x) = true then',
    breaks: 'logout: ',
    reason: 'the signature is not verified',
  },
  {
    text: 'if verify(k, (iss, aud, sub, sid, j, e, nonce), x) = true then',
    replacement:
      'in(network, other: bitstring);\n  if verify(public(other), (iss, aud, sub, sid, j, e, nonce), x) = true then',
    breaks: 'logout: ',
    reason: 'the keys of another issuer verify a Logout Token',
  },
  {
    text: 'event Taken((p, j), i);',
    breaks: 'logout once',
    reason: 'a Logout Token works twice',
  },
  {
    text: 'began, =sid) in',
    replacement: 'began, other) in',
    breaks: 'logout: ',
    reason: 'sid is not compared with the session',
  },
  {
    text: 'if began = p then',
    breaks: 'logout: ',
    reason: 'a provider ends the session of another provider that has this sid',
  },
  {
    text: 'get sessions(s, u, =p, r) in\n    if u = sub then\n    event LoggedOut(u, p, missing, j)',
    replacement:
      'get sessions(s, u, began, r) in\n    if u = sub then\n    event LoggedOut(u, began, missing, j)',
    breaks: 'logout: ',
    reason: 'a provider ends the sessions of this subject at another provider',
  },
  {
    text: 'if u = sub then',
    breaks: 'logout: ',
    reason: 'sub is not compared with the user',
  },
]
