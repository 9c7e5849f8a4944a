/** A phrase that we do not write. A space stands for any white space, a line break too. */
export interface Phrase {
  readonly name: string
  readonly pattern: RegExp
  readonly instead: string
}

/** Shorter than a translation: the noun again, the plain verb, the condition first. */
export const phrases: readonly Phrase[] = [
  phrase(
    'those of, that of',
    /\b(?:those|that) of\b/,
    'the noun again: "email addresses have their own limit"',
  ),
  phrase('of its own', /\bof (?:its|their) own\b/, '"its own …", "a separate …"'),
  phrase('the own', /\bthe own\b/, '"its own …", "the user\'s …"'),
  phrase('of ours', /\bof ours\b/, '"our own …", "our …"'),
  phrase('of others', /\bof others\b|\b(?:an)?other's\b/, '"third-party …", "of another user"'),
  phrase('clients of', /\bclients of\b/, 'noun before noun: "next-auth clients"'),
  phrase('former', /\bformer(?:ly)?\b/, '"previous", "earlier"'),
  phrase('by option', /\bby option\b/, '"optionally", "with the option …"'),
  phrase('at once', /\bat once\b/, '"immediately", "simultaneously"'),
  phrase('go on', /\b(?:go|goes|going|gone|went) on\b/, '"continue"'),
  phrase('alone', /\balone\b/, '"only", "without …"'),
  phrase(
    'is none, has none',
    /(?<!\bthere )\b(?:is|are|was|were|has|have|had) none\b/,
    '"is missing", "is invalid", "has no …"',
  ),
  phrase('none to', /\bnone to\b/, '"no …", "untrusted"'),
  phrase(
    'is no X',
    /(?<!\b(?:there|here) )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|later|sooner)\b)/,
    '"is not a …", "has no …"',
  ),
  phrase(
    'nobody, somebody, whoever',
    /\b(?:nobody|somebody|whoever)\b/,
    '"no user", "another user", "the caller"',
  ),
  phrase('is to', /\b(?:is|are) to(?= \w)/, '"must …"'),
  phrase('wants', /\bwants\b/, '"requires", "expects"'),
  phrase('come to be', /\b(?:come|comes|came) to (?:be|nothing)\b/, '"is created", "failed"'),
  phrase('become of', /\b(?:become|becomes|became) of\b/, '"result", "equivalent"'),
  phrase('for certain', /\bfor certain\b/, 'what is known, and how'),
  phrase('meets', /\bmeets\b/, '"matches", "fulfils", "receives"'),
  phrase('tells', /\btells\b/, '"says", "reports", "distinguishes"'),
  phrase(
    'believes, vouches',
    /\b(?:believes?|vouch(?:es)?)\b/,
    '"is configured with", "is trustworthy"',
  ),
  phrase('is void', /\b(?:is|are) void\b/, '"is invalid", "is invalidated"'),
  phrase('genuine', /\bgenuine\b/, '"valid"'),
  phrase('e-mail', /\be-mails?\b/, '"email"'),
  phrase(
    'address',
    /(?<!\b(?:email|IP|IPv4|IPv6)(?: |-)|--bind-|--wsrep-[a-z-]+-)\baddress(?:es)?\b/,
    '"URL", "email address" or "IP address"',
  ),
]

function phrase(name: string, { source }: RegExp, instead: string): Phrase {
  return { name, instead, pattern: new RegExp(source.replaceAll(' ', String.raw`\s+`), 'gi') }
}
