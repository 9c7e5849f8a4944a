/** Compares this server with oidc-provider: each difference of their replies has its reason. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { listAuthorizationChanges, listChanges } from './support/changes.ts'
import { askForCode, describeReply, obtain, post } from './support/exchange.ts'
import type { EndpointName, Held } from './support/exchange.ts'
import { mail } from './support/server.ts'
import { startCounterpart, startOwn } from './support/sides.ts'
import type { ClientId, Side } from './support/sides.ts'

/** Changes that both servers answer differently: how this one does, how oidc-provider does, and why this one does. */
interface Difference {
  readonly changes: readonly string[]
  readonly own: string
  readonly other: string
  readonly reason: string
  /** Default: all */
  readonly clients?: readonly ClientId[]
}

const invalidClient = '4xx invalid_client'
const invalidRequest = '4xx invalid_request'
const invalidGrant = '4xx invalid_grant'
const toClient = (error: string): string => `3xx ${error}`

const authorizations: readonly Difference[] = [
  {
    changes: ['response_type=code code'],
    own: toClient('unsupported_response_type'),
    other: '3xx code',
    reason: 'RFC 6749 §3.1.1: a type of several values must be registered, and this one is not',
  },
  {
    changes: ['response_mode=fragment'],
    own: toClient('invalid_request'),
    other: '3xx code',
    reason: 'RFC 8414 §2: response_modes_supported names query only',
  },
  {
    changes: ['response_mode=form_post'],
    own: toClient('invalid_request'),
    other: '2xx page',
    reason: 'RFC 8414 §2: response_modes_supported names query only',
  },
  {
    changes: ['response_mode=unknown'],
    own: toClient('invalid_request'),
    other: toClient('unsupported_response_mode'),
    reason: 'RFC 6749 §4.1.2.1: an invalid parameter value; it has no error for the mode',
  },
  {
    changes: ['a code_challenge of 44 characters'],
    own: toClient('invalid_request'),
    other: '3xx code',
    reason: 'RFC 7636 §4.2: a SHA-256 in base64url has 43 characters',
  },
  {
    changes: ['the resource twice', 'two resources'],
    own: toClient('invalid_target'),
    other: '3xx code',
    reason: 'RFC 8707 §2: a server may refuse resources, and a token is for one',
  },
  {
    changes: [`resource=${mail}`, 'scope=unknown', 'scope=mail'],
    own: toClient('invalid_scope'),
    other: toClient('access_denied'),
    reason: 'RFC 6749 §4.1.2.1: the scope is unknown, and the user has denied nothing',
  },
  {
    changes: ['no scope', 'scope='],
    own: '3xx code',
    other: toClient('access_denied'),
    reason: 'RFC 6749 §3.3: without a scope the request is processed with the default one',
  },
  {
    changes: ['scope= notes  notes '],
    own: '3xx code',
    other: toClient('invalid_scope'),
    reason: 'RFC 6749 §3.3: a server may ignore parts of the scope, so also empty ones',
  },
  {
    changes: ['scope=openid'],
    own: toClient('invalid_scope'),
    other: '3xx code',
    reason: 'RFC 8707 §2.1: scopes are those of the named resource, which has no openid',
  },
  {
    changes: ['prompt=create', 'prompt=unknown'],
    own: '3xx code',
    other: toClient('invalid_request'),
    reason: 'OpenID Connect Core 1.0 §3.1.2.1: a server may ignore values that it does not know',
  },
  {
    changes: ['prompt=select_account'],
    own: '3xx asks the user',
    other: toClient('invalid_request'),
    reason: 'OpenID Connect Core 1.0 §3.1.2.1: the value is supported',
  },
  {
    changes: ['max_age=1e3'],
    own: toClient('invalid_request'),
    other: '3xx code',
    reason: 'OpenID Connect Core 1.0 §3.1.2.1: a number of seconds, in digits',
  },
  {
    changes: ['id_token_hint=x'],
    own: '3xx asks the user',
    other: toClient('invalid_request'),
    reason: 'OpenID Connect Core 1.0 §3.1.2.1: the user of the hint must sign in, and is not known',
  },
  {
    changes: ['registration={}'],
    own: '3xx code',
    other: toClient('registration_not_supported'),
    reason: 'RFC 6749 §3.1: unrecognized parameters are ignored',
  },
  {
    changes: ['redirect_uri twice'],
    own: '4xx page',
    other: toClient('invalid_request'),
    reason: 'RFC 6749 §4.1.2.1: nothing is redirected if the redirect URI is invalid',
  },
  {
    changes: ['unknown twice'],
    own: toClient('invalid_request'),
    other: '3xx code',
    reason: 'RFC 6749 §3.1: no parameter may be given twice',
  },
]

/** How clients authenticate: the same at each endpoint. */
const listAuthentications = (success: string): readonly Difference[] => [
  {
    changes: [
      'no client',
      'a header that is not base64',
      'a header without a colon',
      'a header of another scheme',
    ],
    own: invalidClient,
    other: invalidRequest,
    reason: 'RFC 6749 §5.2: unknown client, no client authentication included, or another method',
  },
  {
    changes: ['an empty secret in the header'],
    clients: ['basic', 'posting'],
    own: invalidClient,
    other: invalidRequest,
    reason: 'RFC 6749 §5.2: no client authentication included',
  },
  {
    changes: ['an empty secret in the header'],
    clients: ['public'],
    own: success,
    other: invalidRequest,
    reason: 'RFC 6749 §2.3.1: an empty secret may be left out, so it is none',
  },
  {
    changes: ['an assertion', 'an assertion of another type'],
    clients: ['public'],
    own: invalidClient,
    other: success,
    reason: 'RFC 6749 §2.3: the client uses the method that was registered, not an assertion',
  },
  {
    changes: ['the right secret in the form'],
    clients: ['basic'],
    own: invalidClient,
    other: success,
    reason: 'RFC 7591 §2: the client was registered with client_secret_basic',
  },
  {
    changes: ['the right secret in the header', 'a header and the id'],
    clients: ['posting'],
    own: invalidClient,
    other: success,
    reason: 'RFC 7591 §2: the client was registered with client_secret_post',
  },
  {
    changes: ['unknown twice'],
    own: invalidRequest,
    other: success,
    reason: 'RFC 6749 §3.2: no parameter may be given twice',
  },
]

/** What both grant types of the token endpoint have. */
const exchanges: readonly Difference[] = [
  ...listAuthentications('2xx'),
  {
    changes: ['the resource twice', 'two resources'],
    own: '4xx invalid_target',
    other: '2xx',
    reason: 'RFC 8707 §2: a server may refuse resources, and a token is for one',
  },
  {
    changes: ['a body that is not UTF-8'],
    clients: ['public', 'posting'],
    own: invalidRequest,
    other: '4xx unsupported_grant_type',
    reason: 'RFC 6749 Appendix B: parameters are encoded in UTF-8',
  },
]

const noBody: Difference = {
  changes: ['no body'],
  clients: ['public', 'posting'],
  own: invalidClient,
  other: invalidRequest,
  reason: 'RFC 6749 §5.2: no client authentication included',
}

const differences: Readonly<Record<EndpointName, readonly Difference[]>> = {
  code: [
    ...exchanges,
    {
      changes: ['no code_verifier', 'code_verifier='],
      own: invalidRequest,
      other: invalidGrant,
      reason: 'RFC 6749 §5.2: a required parameter is missing',
    },
    {
      changes: [
        'code_verifier=short',
        'a code_verifier of 129 characters',
        'a code_verifier of other characters',
      ],
      own: invalidGrant,
      other: invalidRequest,
      reason: 'RFC 7636 §4.6: the verifier is not the one of the challenge',
    },
    {
      changes: ['no redirect_uri', 'redirect_uri='],
      own: invalidGrant,
      other: '2xx',
      reason: 'RFC 6749 §4.1.3: required if the authorization request has it',
    },
  ],
  refresh: [
    ...exchanges,
    {
      changes: ['a token that was replaced'],
      own: '2xx',
      other: invalidGrant,
      reason:
        'RFC 9700 §4.14.2: a reuse is detected after reuseSeconds, so that a lost reply loses nothing',
    },
  ],
  revocation: [...listAuthentications('2xx'), noBody],
  introspection: [...listAuthentications('2xx active'), noBody],
}

/** The replies to one request: this server's, and that of oidc-provider. */
type Replies = readonly [own: string, other: string]

/** The two servers, for one test. */
type Sides = readonly [own: Side, other: Side]

async function start(): Promise<Sides> {
  const sides = [await startOwn(), await startCounterpart()] as const
  onTestFinished(() => Promise.all(sides.map(({ stop }) => stop())).then(() => undefined))
  return sides
}

async function compare(
  [own, other]: Sides,
  send: (side: Side) => Promise<Response>,
): Promise<Replies> {
  return [await describeReply(await send(own)), await describeReply(await send(other))]
}

/** Lets a client get tokens of both servers, and returns what it has of each. */
async function obtainOfBoth(sides: Sides, client: ClientId): Promise<(side: Side) => Held> {
  const [own, other] = [await obtain(sides[0], client), await obtain(sides[1], client)]
  return (side) => (side === sides[0] ? own : other)
}

/** Returns whether an error of the client, the grant type or the body was found before a token was looked at. */
function usesNothing(reply: string): boolean {
  return /^4xx( invalid_client| unsupported_grant_type| page)?$/.test(reply)
}

/** Checks that the request without a change succeeds, and that the replies differ only as the table says. */
function checkReplies(
  replies: ReadonlyMap<string, Replies>,
  success: string,
  { client, table }: { readonly client: ClientId; readonly table: readonly Difference[] },
): void {
  expect(replies.get('nothing')).toEqual([success, success])
  const found = [...replies].filter(([, [own, other]]) => own !== other)
  const rows = table.filter((each) => each.clients?.includes(client) ?? true)
  const expected = rows.flatMap(({ changes, own, other }) =>
    changes.map((name) => [name, [own, other]] as const),
  )
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
}

const ids: readonly ClientId[] = ['public', 'basic', 'posting']

describe('oidc-provider and this server answer alike, but for the differences of the table', () => {
  test.for(['public', 'basic'] as const)(
    'authorization requests of the client %s',
    async (client) => {
      const sides = await start()
      for (const side of sides) await obtain(side, client)
      const replies = new Map<string, Replies>()
      for (const [name, fields] of Object.entries(listAuthorizationChanges(client))) {
        replies.set(name, await compare(sides, (side) => askForCode(side, client, fields)))
      }
      checkReplies(replies, '3xx code', { client, table: authorizations })
    },
  )

  test.for<readonly [endpoint: EndpointName, client: ClientId, success: string]>([
    ...ids.map((client) => ['code', client, '2xx'] as const),
    ...ids.map((client) => ['refresh', client, '2xx'] as const),
    ...ids.map((client) => ['revocation', client, '2xx'] as const),
    ['introspection', 'basic', '2xx active'],
    ['introspection', 'posting', '2xx active'],
  ])('%s requests of the client %s', async ([endpoint, client, success]) => {
    const sides = await start()
    const replies = new Map<string, Replies>()
    let getHeld = await obtainOfBoth(sides, client)
    for (const [name, change] of Object.entries(listChanges(endpoint, client))) {
      const reply = await compare(sides, (side) => {
        const held = getHeld(side)
        return post(side, endpoint, client, held, change(held))
      })
      replies.set(name, reply)
      if (!reply.every(usesNothing)) getHeld = await obtainOfBoth(sides, client)
    }
    checkReplies(replies, success, { client, table: differences[endpoint] })
  })

  test.for([
    ['none', 'login_required'],
    ['none login', 'invalid_request'],
  ] as const)('prompt=%s without a user is %s', async ([prompt, error]) => {
    const sides = await start()
    const reply = await compare(sides, (side) =>
      askForCode(side, 'public', { prompt }, side.stranger),
    )
    expect(reply).toEqual([toClient(error), toClient(error)])
  })

  test('a refresh token that was replaced a minute ago is refused by both, and ends the grant', async () => {
    const sides = await start()
    const getHeld = await obtainOfBoth(sides, 'public')
    sides[0].wait(61)
    for (const name of ['used', 'newest'] as const) {
      const reply = await compare(sides, (side) => {
        const { used, refreshToken } = getHeld(side)
        const token = name === 'used' ? used.token : refreshToken
        return post(side, 'refresh', 'public', { refreshToken: token })
      })
      expect([name, ...reply]).toEqual([name, invalidGrant, invalidGrant])
    }
  })

  test('a token of another client is neither revoked nor described', async () => {
    const sides = await start()
    const getHeld = await obtainOfBoth(sides, 'public')
    const send = (endpoint: EndpointName, client: ClientId): Promise<Replies> =>
      compare(sides, (side) => post(side, endpoint, client, getHeld(side)))
    for (const client of ['basic', 'posting'] as const) {
      expect(await send('introspection', client)).toEqual(['2xx inactive', '2xx inactive'])
      // RFC 7009 §2.2: the client cannot act on an error. §5: it would learn that there is such a token.
      expect(await send('revocation', client)).toEqual(['2xx', invalidRequest])
    }
    expect(await send('refresh', 'public')).toEqual(['2xx', '2xx'])
  })

  test('introspection is for clients that authenticate', async () => {
    const sides = await start()
    const getHeld = await obtainOfBoth(sides, 'public')
    const reply = await compare(sides, (side) =>
      post(side, 'introspection', 'public', getHeld(side)),
    )
    // RFC 7662 §2.1: the endpoint must require some form of authorization.
    expect(reply).toEqual([invalidClient, '2xx inactive'])
  })

  test('their metadata, keys and endpoints answer the same methods', async () => {
    const sides = await start()
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']
    const urls: readonly ((side: Side) => string)[] = [
      (side) => side.metadataUrl,
      (side) => String(side.metadata['jwks_uri']),
    ]
    for (const getUrl of urls) {
      const replies: Replies[] = []
      for (const method of methods) {
        replies.push(await compare(sides, (side) => side.send(getUrl(side), { method })))
      }
      expect(replies).toEqual(replies.map(([own]) => [own, own]))
      expect(replies[0]).toEqual(['2xx', '2xx'])
    }
    const [own, other] = sides.map(({ metadata }) => metadata)
    for (const name of metadataNames) expect([name, own?.[name]]).toEqual([name, other?.[name]])
  })
})

/** What both servers say of themselves in the same words. */
const metadataNames = [
  'authorization_response_iss_parameter_supported',
  'code_challenge_methods_supported',
  'grant_types_supported',
  'response_types_supported',
  'token_endpoint_auth_methods_supported',
]
