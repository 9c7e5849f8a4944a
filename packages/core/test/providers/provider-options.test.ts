import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@latchkey/core'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { oauthConfig, oidcConfig, protocolParameters } from '../support/identity-provider.ts'

type Row = readonly [title: string, over: Record<string, unknown>, message: RegExp]

const rows: readonly Row[] = [
  ['clientId empty', { clientId: '' }, /^providers\.op\.clientId: is missing/],
  ['clientId undefined', { clientId: undefined }, /^providers\.op\.clientId: is missing/],
  [
    'neither clientSecret nor clientAuthentication',
    { clientSecret: '' },
    /^providers\.op\.clientSecret: is missing: a public client needs clientAuthentication: 'none'$/,
  ],
  ['a misspelt option', { scopes: 'email' }, /^providers\.op\.scopes: .*did you mean scope\?$/],
  ['checks empty', { checks: [] }, /^providers\.op\.checks: must not be empty/],
  ['an unknown check', { checks: ['stat'] }, /^providers\.op\.checks: .*found stat/],
  [
    'client_secret_basic without clientSecret',
    { clientSecret: '', clientAuthentication: 'client_secret_basic' },
    /^providers\.op\.clientSecret: is missing/,
  ],
  [
    'client_secret_post without clientSecret',
    { clientSecret: undefined, clientAuthentication: 'client_secret_post' },
    /^providers\.op\.clientSecret: is missing/,
  ],
  [
    'private_key_jwt without privateKey',
    { clientAuthentication: 'private_key_jwt' },
    /^providers\.op\.privateKey: is missing: private_key_jwt requires it$/,
  ],
  [
    'an unknown client authentication',
    { clientAuthentication: 'tls_client_auth' },
    /^providers\.op\.clientAuthentication: /,
  ],
  [
    'an unknown client authentication with a secret',
    { clientAuthentication: 'client_secret_jwt' },
    /^providers\.op\.clientAuthentication: /,
  ],
  ['an unknown response mode', { responseMode: 'fragment' }, /^providers\.op\.responseMode: /],
  ...protocolParameters.map((name): Row => [
    `params with ${name}`,
    { params: { [name]: 'x' } },
    new RegExp(`^providers\\.op\\.params: .*${name}`),
  ]),
  ...protocolParameters.map((name): Row => [
    `forward with ${name}`,
    { forward: ['prompt', name] },
    new RegExp(`^providers\\.op\\.forward: .*${name}`),
  ]),
]

test.each(['HS256', 'none', '', 'RS255', 'rs256'])(
  'userinfoSignedResponseAlg "%s" is refused at start-up',
  (userinfoSignedResponseAlg) => {
    expect(() => oidc({ ...oidcConfig, userinfoSignedResponseAlg })).toThrow(
      /^providers\.op\.userinfoSignedResponseAlg: must be an asymmetric algorithm/,
    )
  },
)

describe('options refused at start-up (I-19, I-22, I-27)', () => {
  test.each(rows)('%s', (_, over, message) => {
    expect(() => oidc({ ...oidcConfig, ...over })).toThrow(ConfigurationError)
    expect(() => oidc({ ...oidcConfig, ...over })).toThrow(message)
    expect(() => oauth({ ...oauthConfig, ...over })).toThrow(message)
  })

  test('the check nonce without an ID Token', () => {
    expect(() => oauth({ ...oauthConfig, checks: ['state', 'nonce'] })).toThrow(
      /^providers\.op\.checks: /,
    )
  })
})
