/** What went wrong, in the order of the page. */
export const faults = {
  emails: 'Email addresses and emails',
  binding: 'A sign-in that is not bound to its beginning',
  linking: 'Takeover by linking',
  once: 'Things that must work once',
  sessions: 'Sessions and caches',
  failOpen: 'Checks that fail open, or are skipped',
  redirects: 'Redirects, origins and hosts',
  limits: 'Limits',
  ids: 'Ids that a client chooses',
  markup: 'Markup',
  secondFactor: 'Second factors',
  server: 'Authorization servers',
  tenants: 'Organizations, single sign-on and provisioning',
  saml: 'SAML',
} as const

/** A test that fails if Latchkey has the fault. */
export interface TestReference {
  /** From the root of the repository. */
  readonly file: string
  /** As it stands in the file; `%s` and `${…}` are what differs between its rows. */
  readonly title: string
}

/** A rule of INTERFACE.md, such as `I-29.1`. */
type Rule = `I-${number}`

/** Latchkey and the fault. */
export type Outcome =
  | {
      /** `no`: not hit. `depends`: hit under the condition of {@link note}. */
      readonly hit: 'no' | 'depends'
      /** What refuses it, or the condition. */
      readonly note: string
      /** Empty if it is not a rule of the interface, but of a package beside core. */
      readonly rules: readonly Rule[]
      readonly tests: readonly [TestReference, ...TestReference[]]
    }
  | {
      /** The feature does not exist in Latchkey. */
      readonly hit: 'absent'
      readonly note: string
    }

/** An advisory or report about a library for signing in. */
export interface Advisory {
  /** The number of the advisory, or of the pull request or issue. */
  readonly id: string
  /** The number of the CVE, if it is not the id. */
  readonly cve?: string
  /** Where it can be read. Missing if we could not read it again. */
  readonly url?: string
  readonly package: string
  /** The first version that has the fix. Absent if no version has it, or it is unknown. */
  readonly fixed?: string
  /** When it was published, or fixed if it has no advisory: a day or a month. */
  readonly date: string
  readonly fault: keyof typeof faults
  /** What happened. */
  readonly what: string
  readonly latchkey: Outcome
}

const testsOf =
  (name: string) =>
  (file: string, title: string): TestReference => ({
    file: `packages/${name}/test/${file}.test.ts`,
    title,
  })

const core = testsOf('core')
const next = testsOf('next')
const secondFactor = testsOf('second-factor')
const tokens = testsOf('tokens')

const ghsa = (id: string): { readonly id: string; readonly url: string } => ({
  id,
  url: `https://github.com/advisories/${id}`,
})

const betterAuth = 'https://github.com/better-auth/better-auth'

const absent = (note: string): Outcome => ({ hit: 'absent', note })

const server = testsOf('authorization-server')
const exactUris = server('authorize', '500 variants of a registered URI are refused')
const noRegistration = server(
  'registration',
  'is off by default: no endpoint, and none in the metadata',
)
const noTenants = absent('Issuers are in the configuration; users cannot add any.')
const noOrganizations = absent('There are no organizations.')
const noSaml = absent('There is no SAML.')

const oneMailbox = core('email', '%s names no second mailbox: nothing is sent')
const ownOriginOnly = core('return-url', '%s never redirects to another origin')
const oneSessionOfALink = core(
  'email',
  'of 200 browsers that use it concurrently, one is signed in',
)
const nothingBefore = secondFactor(
  'second-factor',
  'no callback but userinfo, no event, no token, no session',
)
const readsInPages: TestReference = {
  file: 'packages/internal/hosts/test/next.test.ts',
  title: 'a server component, a server action and a route handler read the session',
}

/** Checks only in a proxy of Next.js, which the framework skipped. */
const skippedProxy: Outcome = {
  hit: 'depends',
  note:
    'Hit if an application checks only in its proxy: no code runs in a proxy that the framework skips. ' +
    'Not hit if the page calls `auth()` or `getServerSession` too, as the README of @latchkey/next says.',
  rules: ['I-58.7'],
  tests: [readsInPages, next('proxy', 'does not pass to %s')],
}

/** Links in emails whose host the request names. */
const hostOfLinks: Outcome = {
  hit: 'depends',
  note:
    'Not hit: forwarded headers are never read, and providers that send emails refuse `trustHost: true` at start-up. Hit if a ' +
    'list in `trustHost`, or `linkHost`, names a host of an attacker.',
  rules: ['I-2.3', 'I-57.5', 'I-57.6', 'I-57.8'],
  tests: [
    core('email', 'no header of the request chooses the host of the link (I-2, I-30)'),
    core('trust-host', 'X-Forwarded-Host and the Host header choose nothing (I-2)'),
    core('trust-host', 'warns at the first request of a host that is not loopback, once (I-57)'),
  ],
}

/** Every advisory and report that we know of and that fits, by fault and date. */
export const advisories: readonly Advisory[] = [
  {
    ...ghsa('GHSA-xv97-c62v-4587'),
    cve: 'CVE-2022-35924',
    package: 'next-auth',
    fixed: '4.10.3',
    date: '2022-08-02',
    fault: 'emails',
    what: 'A list of email addresses was one email address: the link went to the attacker too, and checks of its domain passed.',
    latchkey: {
      hit: 'no',
      note: 'Exactly one email address is accepted.',
      rules: ['I-29.1'],
      tests: [
        core('email', 'anything but one email address is refused, and nothing is sent'),
        oneMailbox,
      ],
    },
  },
  {
    ...ghsa('GHSA-5jpx-9hw9-2fx4'),
    package: 'next-auth, through nodemailer',
    fixed: '4.24.12',
    date: '2025-10-29',
    fault: 'emails',
    what: 'The mail library read a quoted local part with an `@` as the mailbox of another domain.',
    latchkey: {
      hit: 'no',
      note: 'Quoted local parts are refused, and mailers get structured data instead of a text to parse.',
      rules: ['I-29.1', 'I-29.3'],
      tests: [
        oneMailbox,
        {
          file: 'packages/mail/test/smtp-headers.test.ts',
          title: 'keeps the special characters of a local part',
        },
      ],
    },
  },
  {
    ...ghsa('GHSA-7rqj-j65f-68wh'),
    cve: 'CVE-2026-73420',
    package: 'next-auth, @auth/core',
    fixed: '4.24.15',
    date: '2026-07-23',
    fault: 'emails',
    what: 'An email address was checked before it was normalized: a character that normalization makes an `@` added a second domain.',
    latchkey: {
      hit: 'no',
      note: 'NFKC comes first, then the only `@` is counted.',
      rules: ['I-29.1'],
      tests: [oneMailbox],
    },
  },
  {
    ...ghsa('GHSA-x445-f3h2-j279'),
    cve: 'CVE-2026-73419',
    package: 'next-auth, @auth/core',
    fixed: '4.24.15',
    date: '2026-07-23',
    fault: 'binding',
    what: 'Cookies with `state`, nonce and PKCE verifier did not name their provider: one provider’s state fitted the callback of another.',
    latchkey: {
      hit: 'no',
      note: 'The flow is sealed with its provider, and is read only for it.',
      rules: ['I-21.1', 'I-23.2'],
      tests: [core('flow', 'of another provider than the flow’s provider is refused (I-23)')],
    },
  },
  {
    ...ghsa('GHSA-g38m-r43w-p2q7'),
    cve: 'CVE-2026-53516',
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'linking',
    what: 'An OAuth sign-in was linked to an account that an attacker had registered before with the same, unverified email address.',
    latchkey: {
      hit: 'no',
      note: 'Both sides must have verified the email address. An unverified one links nothing and reserves nothing.',
      rules: ['I-38.6', 'I-38.7'],
      tests: [
        core('accounts', 'its owner signs in by email and with a second provider, strategy %s'),
      ],
    },
  },
  {
    ...ghsa('GHSA-qq9h-g4jm-xgf3'),
    package: 'better-auth',
    fixed: '1.6.22',
    date: '2026-07-24',
    fault: 'linking',
    what: 'An attacker who had registered with a password kept access when the owner of the email address signed in by link or code.',
    latchkey: {
      hit: 'no',
      note: 'The owner becomes another user: an email address from `authorize` is not verified.',
      rules: ['I-43.13', 'I-38.7'],
      tests: [
        core(
          'providers/credentials',
          'the owner of an email address that another person registered with a password gets another user',
        ),
      ],
    },
  },
  {
    id: 'Pull request 8067',
    url: `${betterAuth}/pull/8067`,
    package: 'better-auth',
    date: '2026-02-22',
    fault: 'once',
    what: 'Simultaneous requests used one emailed code several times, and got more guesses than its limit.',
    latchkey: {
      hit: 'no',
      note: 'Code and link are one token, which exactly one caller gets. Guesses are counted before they are compared.',
      rules: ['I-30.2', 'I-31.5'],
      tests: [
        core(
          'email-code',
          'of 50 simultaneous uses of the right code, with its link, one signs in',
        ),
        core(
          'email-code',
          'of concurrent guesses five count: after %i, the right code signs in %i',
        ),
      ],
    },
  },
  {
    id: 'GHSA-hc7v-rggr-4hvx',
    url: `${betterAuth}/security/advisories/GHSA-hc7v-rggr-4hvx`,
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-05-12',
    fault: 'once',
    what: 'A magic link that was opened several times simultaneously gave several sessions.',
    latchkey: {
      hit: 'no',
      note: 'Exactly one caller gets the token.',
      rules: ['I-30.2'],
      tests: [oneSessionOfALink],
    },
  },
  {
    id: 'GHSA-hc7v-x88r-fmh4',
    url: `${betterAuth}/blob/main/test/unit/magic-link-secondary-storage.test.ts`,
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-05-12',
    fault: 'once',
    what: 'The same with a secondary storage: get and delete were two steps. The tests of the fix name this number; we found no page of the advisory.',
    latchkey: {
      hit: 'no',
      note: 'Getting a token deletes it, in one step of every storage: the contract of storages checks it.',
      rules: ['I-30.2'],
      tests: [
        oneSessionOfALink,
        {
          file: 'packages/testing/src/storage-contract.ts',
          title: 'one of ${CONCURRENCY} concurrent useVerificationToken gets the token',
        },
      ],
    },
  },
  {
    ...ghsa('GHSA-f3fg-mf2q-fj3f'),
    cve: 'CVE-2025-48947',
    package: '@auth0/nextjs-auth0',
    fixed: '4.6.1',
    date: '2025-06-04',
    fault: 'sessions',
    what: 'Replies with a session cookie had no Cache-Control: a CDN could give one user’s cookie to another.',
    latchkey: {
      hit: 'no',
      note: 'Every reply is `private, no-store`, and `auth.getSession` gives this header to every response that gets a cookie.',
      rules: ['I-10.1'],
      tests: [
        core('routes', 'the headers of every response (I-10)'),
        core('session', 'forbids caches to keep a response that sets a cookie, and only that'),
      ],
    },
  },
  {
    ...ghsa('GHSA-wcgj-f865-c7j7'),
    cve: 'CVE-2025-67490',
    package: '@auth0/nextjs-auth0',
    fixed: '4.12.1',
    date: '2025-12-10',
    fault: 'sessions',
    what: 'Simultaneous requests for access tokens shared a cache, and could get the tokens of another user.',
    latchkey: {
      hit: 'no',
      note: 'What a process keeps is found by provider, account and refresh token together.',
      rules: ['I-46.13', 'I-46.14'],
      tests: [
        core('cookie-access-token-refresh', 'no cookie ever yields the tokens of another user'),
        core(
          'unstored-access-token',
          'are held for no other account, even if it has the same tokens',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-2vg6-77g8-24mp'),
    package: 'better-auth, @better-auth/scim',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'sessions',
    what: 'With sessions in a secondary storage, four ways of deleting a user left the sessions behind.',
    latchkey: {
      hit: 'depends',
      note:
        'Sessions that are stored or `revocable` end immediately. Hit, by design, if sessions are only in their cookie: they end at ' +
        'the next renewal, after `session.updateAge` at most, and start-up logs a warning. Without a storage there is no user to delete.',
      rules: ['I-58.1', 'I-58.2'],
      tests: [
        core(
          'deleted-users',
          "of a deleted user ends ${name === 'in the cookie' ? 'at its next renewal' : 'immediately'}",
        ),
        core('deleted-users', 'names the options, once, for sessions that outlive their users'),
      ],
    },
  },
  {
    ...ghsa('GHSA-f82v-jwr5-mffw'),
    cve: 'CVE-2025-29927',
    package: 'next',
    fixed: '15.2.3',
    date: '2025-03-21',
    fault: 'failOpen',
    what: 'A header that the framework used internally made it skip the middleware.',
    latchkey: skippedProxy,
  },
  {
    ...ghsa('GHSA-vqx2-fgx2-5wq9'),
    cve: 'CVE-2026-41248',
    package: '@clerk/nextjs, /nuxt, /astro',
    fixed: '7.2.1',
    date: '2026-04-16',
    fault: 'failOpen',
    what: 'Crafted requests did not match the patterns of protected routes, and passed the middleware.',
    latchkey: {
      hit: 'no',
      note: 'The proxy has no patterns of protected routes: it protects every path except the service’s own routes and static files.',
      rules: [],
      tests: [
        next('proxy', 'does not pass to %s'),
        next('proxy', 'with a forged session cookie is redirected'),
      ],
    },
  },
  {
    ...ghsa('GHSA-36qx-fr4f-26g5'),
    cve: 'CVE-2026-44573',
    package: 'next',
    fixed: '16.2.5',
    date: '2026-05-11',
    fault: 'failOpen',
    what: 'With `i18n` of the Pages Router, the middleware did not run for data of pages whose URL had no language.',
    latchkey: {
      ...skippedProxy,
      tests: [
        {
          file: 'packages/internal/hosts/test/next.test.ts',
          title:
            'a page of the Pages Router reads the session, and its data is behind the proxy too',
        },
        readsInPages,
      ],
    },
  },
  {
    ...ghsa('GHSA-492v-c6pp-mqqv'),
    cve: 'CVE-2026-44574',
    package: 'next',
    fixed: '16.2.5',
    date: '2026-05-11',
    fault: 'failOpen',
    what: 'Query parameters changed the value of a dynamic route that the page saw, but not the path that the middleware checked.',
    latchkey: skippedProxy,
  },
  {
    ...ghsa('GHSA-267c-6grr-h53f'),
    cve: 'CVE-2026-44575',
    package: 'next',
    fixed: '16.2.5',
    date: '2026-05-11',
    fault: 'failOpen',
    what: 'URLs of prefetched segments led to protected pages past the middleware.',
    latchkey: skippedProxy,
  },
  {
    ...ghsa('GHSA-8fpg-xm3f-6cx3'),
    cve: 'CVE-2026-73421',
    package: 'next-auth',
    fixed: '5.0.0-beta.32',
    date: '2026-07-23',
    fault: 'failOpen',
    what: 'With an invalid configuration `auth` was an object with an error, so that checks whether it exists passed.',
    latchkey: {
      hit: 'no',
      note: 'An invalid configuration ends the start, or rejects every function of @latchkey/next, and no request passes the proxy.',
      rules: [],
      tests: [
        next('proxy', 'if the configuration is invalid, no request passes'),
        next(
          'configuration',
          'that is invalid rejects the other functions, so that nothing is taken for signed out',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-xmf8-cvqr-rfgj'),
    cve: 'CVE-2026-73418',
    package: 'next-auth, @auth/core',
    fixed: '4.24.15',
    date: '2026-07-23',
    fault: 'failOpen',
    what: '`getToken` threw on a malformed Authorization header: one request ended a server that did not catch it.',
    latchkey: {
      hit: 'no',
      note: '`auth.getToken` reads the session cookie only, and a malformed one counts as no session.',
      rules: ['I-46.5'],
      tests: [
        core('get-token', 'reads no Authorization header, malformed or not: %s'),
        core(
          'get-token',
          'a malformed session cookie counts as no session, and throws nothing: %j',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-8jhw-6pjj-8723'),
    cve: 'CVE-2024-56734',
    package: 'better-auth',
    fixed: '1.1.6',
    date: '2024-12',
    fault: 'redirects',
    what: 'The link that verifies an email address redirected to any `callbackURL`.',
    latchkey: {
      hit: 'no',
      note: 'One function checks every return URL, and checks it again at the end of a sign-in.',
      rules: ['I-41.1', 'I-41.2'],
      tests: [core('email', 'a foreign callbackUrl is not put into the link'), ownOriginOnly],
    },
  },
  {
    ...ghsa('GHSA-hjpm-7mrm-26w8'),
    cve: 'CVE-2025-27143',
    package: 'better-auth',
    fixed: '1.1.21',
    date: '2025-02',
    fault: 'redirects',
    what: 'The fix of the previous one let `//host` pass, a URL without a scheme.',
    latchkey: {
      hit: 'no',
      note: 'A return URL is parsed against the origin, compared as an origin, and serialized again.',
      rules: ['I-41.2'],
      tests: [ownOriginOnly],
    },
  },
  {
    ...ghsa('GHSA-vp58-j275-797x'),
    package: 'better-auth',
    fixed: '1.1.21',
    date: '2025-02-24',
    fault: 'redirects',
    what: 'Trusted origins were compared as beginnings of texts and as patterns: other sites fitted, and got the tokens of links.',
    latchkey: {
      hit: 'no',
      note: 'Trusted origins are compared as whole origins; wildcards are refused at start-up.',
      rules: ['I-42.1', 'I-42.3'],
      tests: [
        core('trusted-origins', 'a return URL at %s (I-41)'),
        core('trusted-origins', 'at %s cannot have %s'),
      ],
    },
  },
  {
    ...ghsa('GHSA-36rg-gfq2-3h56'),
    cve: 'CVE-2025-53535',
    package: 'better-auth',
    fixed: '1.2.10',
    date: '2025-07-07',
    fault: 'redirects',
    what: 'The check of origins accepted another site for some spellings of a return URL.',
    latchkey: {
      hit: 'no',
      note: 'The browser’s own parser reads the URL; control characters and backslashes are refused before.',
      rules: ['I-41.2', 'I-42.9'],
      tests: [ownOriginOnly, core('return-url', 'is a normalized URL on the origin, for any text')],
    },
  },
  {
    ...ghsa('GHSA-569q-mpph-wgww'),
    cve: 'CVE-2025-71401',
    package: 'better-auth',
    fixed: '1.4.2',
    date: '2025-12-01',
    fault: 'redirects',
    what: 'Without a configured URL, the first request of a process decided the base path: later ones got 404.',
    latchkey: {
      hit: 'no',
      note: 'The base path is in the configuration; without `serviceUrl` each request has its own origin, if its host is allowed.',
      rules: ['I-1.1', 'I-2.1'],
      tests: [
        core(
          'routes',
          'is not decided by the first request of a process, and the base path is not either',
        ),
      ],
    },
  },
  {
    id: 'GHSA-pgx2-…',
    package: 'Convex',
    date: '2026',
    fault: 'redirects',
    what: 'Links in emails had the host that the request named.',
    latchkey: hostOfLinks,
  },
  {
    id: 'GHSA-9qq3-…',
    package: 'Convex',
    date: '2026',
    fault: 'redirects',
    what: 'The same in another place.',
    latchkey: hostOfLinks,
  },
  {
    id: 'GHSA-j8qq-…',
    package: 'Convex',
    date: '2026',
    fault: 'redirects',
    what: 'A token for a session was added to the URL of any trusted origin.',
    latchkey: {
      hit: 'no',
      note: 'No URL has a token of a session. Pages of a trusted origin can ask `POST /token` for one, which is what the option means.',
      rules: ['I-42.5', 'I-42.10'],
      tests: [
        core('trusted-origins', 'signs in at an identity provider and is returned to'),
        tokens('api-tokens', 'is read by a page of a trusted origin, and by no other (I-42)'),
      ],
    },
  },
  {
    ...ghsa('GHSA-x732-6j76-qmhm'),
    package: 'better-auth, through rou3',
    fixed: '1.4.5',
    date: '2025-12-16',
    fault: 'limits',
    what: 'The router took `//path` for `/path`, but disabled paths and limits did not.',
    latchkey: {
      hit: 'no',
      note: 'A path with an empty segment is 404. Limits count where the action happens, and read no path.',
      rules: ['I-3.1', 'I-3.2'],
      tests: [core('routes', '%j is 404')],
    },
  },
  {
    ...ghsa('GHSA-p6v2-xcpg-h6xw'),
    cve: 'CVE-2026-45364',
    package: 'better-auth',
    fixed: '1.4.17',
    date: '2026-05-15',
    fault: 'limits',
    what: 'Limits counted IPv6 addresses as text: a client had as many as its network has, and several spellings of each.',
    latchkey: {
      hit: 'no',
      note: 'A /64 is one client, in any spelling, and an IPv4 address in IPv6 is that IPv4 address. The host supplies it; no header is read.',
      rules: ['I-32.1', 'I-32.7'],
      tests: [
        core('limits', 'from IP addresses %s are counted together'),
        core('limits', 'do not depend on the header %s (I-2)'),
      ],
    },
  },
  {
    ...ghsa('GHSA-99h5-pjcv-gr6v'),
    cve: 'CVE-2025-61928',
    package: 'better-auth',
    fixed: '1.3.26',
    date: '2025-10-09',
    fault: 'ids',
    what: 'A request without a session created an API key for the user whose id was in its body.',
    latchkey: {
      hit: 'no',
      note: 'No route reads the id of a user: the session’s user is the only one.',
      rules: ['I-47.2'],
      tests: [tokens('api-tokens', 'the field %s chooses no user')],
    },
  },
  {
    ...ghsa('GHSA-4vcf-q4xf-f48m'),
    package: '@better-auth/passkey',
    fixed: '1.4.0',
    date: '2025-11-25',
    fault: 'ids',
    what: 'A user with any session could delete the passkey of another user by its id.',
    latchkey: {
      hit: 'no',
      note: 'A passkey is looked up among the passkeys of the session’s user, and the storage removes it with the user’s id.',
      rules: ['I-54.9', 'I-56.13'],
      tests: [
        {
          file: 'packages/passkeys/test/account.test.ts',
          title: "cannot change another user's passkey",
        },
      ],
    },
  },
  {
    ...ghsa('GHSA-9x4v-xfq5-m8x5'),
    package: 'better-auth',
    fixed: '1.1.16',
    date: '2025-02-05',
    fault: 'markup',
    what: 'The error page repeated the parameter `error` as markup.',
    latchkey: {
      hit: 'no',
      note: 'A page shows a sentence chosen by a known code, escapes everything, and its policy allows no script.',
      rules: ['I-8', 'I-10.2', 'I-10.3'],
      tests: [
        core('pages', 'no query parameter is repeated as markup'),
        core('pages', 'shows a sentence chosen only by the error code (I-8)'),
      ],
    },
  },
  {
    ...ghsa('GHSA-xg6x-h9c9-2m83'),
    package: 'better-auth',
    fixed: '1.4.9',
    date: '2026-04-03',
    fault: 'secondFactor',
    what: 'The cached session of a sign-in that still lacked its second factor counted as a session.',
    latchkey: {
      hit: 'no',
      note: 'Before the second factor there is no session, stored or in a cookie: the sealed step opens nothing else.',
      rules: ['I-52.3'],
      tests: [nothingBefore],
    },
  },
  {
    id: 'GHSA-4qvm-…',
    package: 'Convex',
    date: '2026',
    fault: 'secondFactor',
    what: 'A token for the database was issued before the second factor.',
    latchkey: {
      hit: 'no',
      note: '`POST /token` needs a session, which begins after the second factor.',
      rules: ['I-47.1', 'I-52.3'],
      tests: [nothingBefore],
    },
  },
  {
    ...ghsa('GHSA-4pc9-x2fx-p7vj'),
    cve: 'CVE-2025-4143',
    package: '@cloudflare/workers-oauth-provider',
    fixed: '0.0.5',
    date: '2025-05-01',
    fault: 'server',
    what: 'The authorization endpoint did not compare `redirect_uri` with the registered URLs of the client.',
    latchkey: {
      hit: 'no',
      note: 'Redirect URIs are compared as text.',
      rules: ['I-65.1'],
      tests: [exactUris],
    },
  },
  {
    ...ghsa('GHSA-qgp8-v765-qxx9'),
    cve: 'CVE-2025-4144',
    package: '@cloudflare/workers-oauth-provider',
    fixed: '0.0.5',
    date: '2025-05-01',
    fault: 'server',
    what: 'PKCE could be left out at the token endpoint though the authorization request had it.',
    latchkey: {
      hit: 'no',
      note: 'Every code has a challenge, and needs its verifier.',
      rules: ['I-65.3', 'I-66.2'],
      tests: [server('token', '%s is refused, and uses up nothing')],
    },
  },
  {
    id: 'Issue 299',
    url: 'https://github.com/anomalyco/openauth/issues/299',
    package: '@openauthjs/openauth',
    date: '2025-09-12',
    fault: 'server',
    what: 'Any `redirect_uri` was accepted, also spelled `https:host`. Open at the time of writing.',
    latchkey: {
      hit: 'no',
      note: 'Redirect URIs are compared as text.',
      rules: ['I-65.1'],
      tests: [exactUris],
    },
  },
  {
    ...ghsa('GHSA-xr8f-h2gw-9xh6'),
    cve: 'CVE-2026-41427',
    package: '@better-auth/oauth-provider',
    fixed: '1.6.5',
    date: '2026-04-16',
    fault: 'server',
    what: 'Two endpoints that create clients did not ask who may.',
    latchkey: {
      hit: 'no',
      note: 'Only registration creates clients by a request. It is off by default.',
      rules: ['I-67.5'],
      tests: [noRegistration],
    },
  },
  {
    id: 'GHSA-jmcv-4jfc-6qqj',
    url: `${betterAuth}/pull/9837`,
    package: '@better-auth/oauth-provider',
    fixed: '1.6.13',
    date: '2026-05-31',
    fault: 'server',
    what: 'Dynamic registration of clients did not ask it either.',
    latchkey: {
      hit: 'no',
      note: 'It is off by default. On, anyone can register, and users see where a client leads.',
      rules: ['I-67.5'],
      tests: [noRegistration],
    },
  },
  {
    ...ghsa('GHSA-cq3f-vc6p-68fh'),
    cve: 'CVE-2026-45337',
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-06-04',
    fault: 'server',
    what: 'In the device flow any signed-in user could approve or refuse a code that another user had not typed yet.',
    latchkey: {
      hit: 'no',
      note: 'Who enters a code binds it to the session: no other one approves or denies it.',
      rules: ['I-68.7'],
      tests: [
        server(
          'device',
          'is answered by nobody but who has entered the code, in the same session, once',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-pw9m-5jxm-xr6h'),
    cve: 'CVE-2026-53512',
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'server',
    what: 'A refresh token was accepted without authentication of its client.',
    latchkey: {
      hit: 'no',
      note: 'A client authenticates by its registered method only.',
      rules: ['I-66.7'],
      tests: [server('documents', 'with keys must prove them, whatever else its request names')],
    },
  },
  {
    ...ghsa('GHSA-7w99-5wm4-3g79'),
    cve: 'CVE-2026-53518',
    package: '@better-auth/oauth-provider',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'server',
    what: 'Simultaneous requests redeemed one authorization code several times.',
    latchkey: {
      hit: 'no',
      note: 'A code gives tokens once, in any number of processes.',
      rules: ['I-66.2'],
      tests: [
        server(
          'token',
          'of 1,000 simultaneous requests one succeeds; ten seconds later the grant still lives',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-392p-2q2v-4372'),
    cve: 'CVE-2026-53517',
    package: '@better-auth/oauth-provider',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'server',
    what: 'Simultaneous uses of a refresh token made two families of tokens, so that reuse was not noticed.',
    latchkey: {
      hit: 'no',
      note: 'Simultaneous refreshes have one successor.',
      rules: ['I-66.3'],
      tests: [server('token', 'of 1,000 simultaneous ones each succeeds, with one successor')],
    },
  },
  {
    ...ghsa('GHSA-86j7-9j95-vpqj'),
    package: 'better-auth',
    fixed: '1.6.13',
    date: '2026-07-07',
    fault: 'server',
    what: 'A `redirect_uri` with the scheme `javascript:` ran a script on the server’s origin.',
    latchkey: {
      hit: 'no',
      note: 'Clients have https, http on loopback, or a private scheme with a dot.',
      rules: ['I-65.1'],
      tests: [server('redirect-uri', 'not %s')],
    },
  },
  {
    ...ghsa('GHSA-9h47-pqcx-hjr4'),
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'server',
    what: 'The metadata offered ID Tokens without a signature, and PKCE accepted `plain`.',
    latchkey: {
      hit: 'no',
      note: 'The metadata names S256 only, and there are no ID Tokens. As a client, Latchkey accepts only asymmetric signatures.',
      rules: ['I-24.1', 'I-65.3'],
      tests: [
        server(
          'programs',
          'the metadata is where the path of the issuer is inserted, and names only what is answered',
        ),
      ],
    },
  },
  {
    ...ghsa('GHSA-p2fr-6hmx-4528'),
    package: '@better-auth/oauth-provider',
    fixed: '1.7.0',
    date: '2026-07-07',
    fault: 'server',
    what: 'A client chose the audience of an access token at the token endpoint, beyond what the user had authorized.',
    latchkey: {
      hit: 'no',
      note: 'A token request may narrow, and never widen.',
      rules: ['I-66.7'],
      tests: [server('token', '%s is refused, and uses up nothing')],
    },
  },
  {
    ...ghsa('GHSA-5rr4-8452-hf4v'),
    cve: 'CVE-2026-53513',
    package: '@better-auth/sso',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'tenants',
    what: 'Any signed-in user could register an OpenID provider with endpoints in the server’s own network.',
    latchkey: noTenants,
  },
  {
    ...ghsa('GHSA-gv74-j8m3-fg5f'),
    cve: 'CVE-2026-53515',
    package: '@better-auth/sso',
    fixed: '1.6.11',
    date: '2026-07-20',
    fault: 'tenants',
    what: 'Any member of an organization could register its identity provider.',
    latchkey: noTenants,
  },
  {
    id: 'GHSA-8c5h-wx78-2cfg',
    url: `${betterAuth}/commit/999acbd41d4d6bad81b24ce9edef063632ad22bf`,
    package: '@better-auth/sso',
    fixed: '1.6.27',
    date: '2026-08-11',
    fault: 'tenants',
    what: 'A domain that was changed while its DNS proof was checked counted as proven.',
    latchkey: noTenants,
  },
  {
    id: 'GHSA-phx7-w8x2-3xgf',
    url: `${betterAuth}/commit/999acbd41d4d6bad81b24ce9edef063632ad22bf`,
    package: '@better-auth/sso',
    fixed: '1.6.27',
    date: '2026-08-11',
    fault: 'tenants',
    what: 'A user joined an organization by a domain that its provider claimed and had not proven.',
    latchkey: noOrganizations,
  },
  {
    ...ghsa('GHSA-fmh4-wcc4-5jm3'),
    cve: 'CVE-2026-53514',
    package: 'better-auth',
    fixed: '1.6.11',
    date: '2026-07-07',
    fault: 'tenants',
    what: 'A user with an unverified email address accepted the invitation of the person whose email address it is.',
    latchkey: noOrganizations,
  },
  {
    ...ghsa('GHSA-j8v8-g9cx-5qf4'),
    package: '@better-auth/scim',
    fixed: '1.7.0-beta.4',
    date: '2026-07-07',
    fault: 'tenants',
    what: 'A user could replace the SCIM token of another user’s provider, and manage users with it.',
    latchkey: absent('There is no SCIM.'),
  },
  {
    ...ghsa('GHSA-h3rm-78g3-j7cp'),
    package: '@better-auth/stripe',
    fixed: '1.6.21',
    date: '2026-07-24',
    fault: 'tenants',
    what: 'The organization of the query was checked, and the active organization of the session was charged.',
    latchkey: noOrganizations,
  },
  {
    ...ghsa('GHSA-9p8x-f768-wp2g'),
    cve: 'CVE-2025-29774',
    package: 'xml-crypto',
    fixed: '6.0.1',
    date: '2025-03-14',
    fault: 'saml',
    what: 'A second `SignedInfo` in a signature was read in place of the one that was verified.',
    latchkey: noSaml,
  },
  {
    ...ghsa('GHSA-x3m8-899r-f7c3'),
    cve: 'CVE-2025-29775',
    package: 'xml-crypto',
    fixed: '6.0.1',
    date: '2025-03-14',
    fault: 'saml',
    what: 'A comment within a digest hid the digest that was compared.',
    latchkey: noSaml,
  },
  {
    ...ghsa('GHSA-wjmp-wphq-jvqf'),
    cve: 'CVE-2025-46572',
    package: 'passport-wsfed-saml2',
    fixed: '4.6.4',
    date: '2025-05-06',
    fault: 'saml',
    what: 'A signed assertion beside a forged one: the signature was of the first, the user of the second.',
    latchkey: noSaml,
  },
  {
    ...ghsa('GHSA-r683-v43c-6xqv'),
    cve: 'CVE-2025-47949',
    package: 'samlify',
    fixed: '2.10.0',
    date: '2025-05-19',
    fault: 'saml',
    what: 'The same: a forged assertion beside a signed one.',
    latchkey: noSaml,
  },
  {
    ...ghsa('GHSA-4mxg-3p6v-xgq3'),
    cve: 'CVE-2025-54419',
    package: '@node-saml/node-saml',
    fixed: '5.1.0',
    date: '2025-07-28',
    fault: 'saml',
    what: 'The assertion was read from the unsigned document instead of the part whose signature was verified.',
    latchkey: noSaml,
  },
]
