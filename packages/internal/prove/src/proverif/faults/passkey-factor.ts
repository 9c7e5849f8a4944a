import type { ModelFault } from '../model-mutant.ts'

/** The faults of passkey-factor.pv, in the order of its lines. */
export const passkeyFactorFaults: readonly ModelFault[] = [
  {
    text: 'if made = verified then (',
    replacement: 'if made = made then (',
    breaks: 'single',
    reason: 'an unverified passkey counts as two factors',
  },
  {
    text: 'if made = verified then (',
    replacement: 'if made = made then (',
    breaks: 'secret: the sessions of a user whose unverified passkey',
    reason: 'a stolen unverified passkey signs in without another factor',
  },
  {
    text: 'if salt = bound then',
    breaks: 'second factor',
    reason: 'the challenge of another step is accepted',
  },
  {
    text: 'if first = password then\n',
    breaks: 'secret: the sessions of a user whose unverified passkey',
    reason: 'the second factor can be of the kind of the first one',
  },
  {
    text: 'if first = password then\n',
    breaks: 'other',
    reason: 'a passkey completes the step that a passkey began',
  },
  {
    text: 'if first = password then\n  if o = service then',
    replacement: 'if first = password then',
    breaks: 'secret: the sessions of a user whose password',
    reason: 'the origin of a second factor is not checked',
  },
  {
    text: 'if o = service then\n  if verify(k, (c, o), x) = true then\n  get passkeys(=k, owner, made) in',
    replacement: 'if o = service then\n  get passkeys(=k, owner, made) in',
    breaks: 'secret: the sessions of a user whose password',
    reason: 'the signature of a second factor is not verified',
  },
  {
    text: 'if owner = u then',
    breaks: 'secret: the sessions of a user whose password',
    reason: "another user's passkey is accepted as the second factor",
  },
  {
    text: 'if owner = u then\n  event Taken(salt, i);',
    replacement: 'if owner = u then',
    breaks: 'once',
    reason: 'a step works twice',
  },
  {
    text: 'if x = code(u, counter) then',
    breaks: 'secret: the sessions of a user whose password',
    reason: 'the code is not compared',
  },
]
