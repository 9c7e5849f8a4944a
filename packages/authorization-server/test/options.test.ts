import { authorizationServer, deviceFlow, introspection } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions, ClientOptions } from '@latchkey/authorization-server'
import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Capability } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { apiTokens } from '@latchkey/tokens'
import { expect, describe, test } from 'vitest'
import { passport } from '../../core/test/support/service.ts'
import { keys, notes, origin, publicClient } from './support/server.ts'

const many = (count: number): Readonly<Record<string, { readonly en: string }>> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`scope${i}`, { en: 'Read' }]))
const resources = { [notes]: { scopes: { read: { en: 'Read' } } } }
const valid: AuthorizationServerOptions = { resources, clients: [publicClient] }
const api = 'https://api.example'
const tokens = apiTokens({ keys, audience: api })

function start(
  options: object = {},
  config: object = {},
  others: readonly Capability[] = [tokens],
): () => unknown {
  return () =>
    createAuth({
      serviceUrl: origin,
      secret: 'a secret of thirty-two bytes or more',
      storage: memoryStorage(),
      session: { strategy: 'storage' },
      providers: [passport()],
      ...config,
      use: [...others, authorizationServer({ ...valid, ...options })],
    })
}

const withClient = (over: Partial<Record<keyof ClientOptions, unknown>>): object => ({
  clients: [{ ...publicClient, ...over }],
})

const withDevice = (over: Partial<Record<keyof ClientOptions, unknown>>): object => ({
  device: deviceFlow(),
  clients: [
    {
      id: 'tool',
      name: 'Tool',
      redirectUris: [],
      grants: ['device'],
      deviceScopes: ['read'],
      ...over,
    },
  ],
})

describe('createAuth names the option', () => {
  test('that is wrong, and accepts the others', () => {
    expect(start()).not.toThrow()
    expect(start(withDevice({}))).not.toThrow()
    const introspects = {
      ...withClient({ secret, introspects: notes }),
      introspection: introspection(),
    }
    expect(start(introspects)).not.toThrow()
    const both = {
      grants: ['authorization_code', 'device'],
      redirectUris: publicClient.redirectUris,
    }
    expect(start(withDevice(both))).not.toThrow()
    const device = deviceFlow({ verificationUri: `${origin}/device` })
    expect(start({ device })).not.toThrow()
    expect(start({ events: { createGrant: () => undefined } })).not.toThrow()
    expect(start({ survivesRevokeAll: true })).not.toThrow()
    expect(start({ prefix: '/api/oauth' })).not.toThrow()
    expect(start({ prefix: '/api/auth-programs' })).not.toThrow()
  })

  const secret = 'a secret of 32 characters, or more'
  test.each<[string, object]>([
    ['authorizationServer.resource', { resource: {} }],
    ['authorizationServer.resources', { resources: {} }],
    ['authorizationServer.resources', { resources: undefined }],
    ['authorizationServer.resources["notes"]', { resources: { notes: resources[notes] } }],
    [
      `authorizationServer.resources["${notes}#a"]`,
      { resources: { [`${notes}#a`]: resources[notes] } },
    ],
    [`authorizationServer.resources["${notes}"]`, { resources: { [notes]: { scopes: {} } } }],
    [`authorizationServer.resources["${notes}"]`, { resources: { [notes]: { scopes: many(91) } } }],
    [`authorizationServer.resources["${api}"]`, { resources: { [api]: resources[notes] } }],
    [
      `authorizationServer.resources["${notes}"].scopes["read"]`,
      { resources: { [notes]: { scopes: { read: { de: 'Lesen' } } } } },
    ],
    ...['openid', 'offline_access', 'a b', '"', ''].map((scope): [string, object] => [
      `authorizationServer.resources["${notes}"].scopes`,
      { resources: { [notes]: { scopes: { [scope]: { en: 'Read' } } } } },
    ]),
    [
      `authorizationServer.resources["${notes}"]`,
      { resources: { [notes]: { ...resources[notes], required: ['write'] } } },
    ],
    [
      `authorizationServer.resources["${notes}"].defaults`,
      { resources: { [notes]: { ...resources[notes], defaults: [] } } },
    ],
    ['authorizationServer.clients', { clients: {} }],
    ['authorizationServer.clients', { clients: [null] }],
    ['authorizationServer.clients', { clients: [publicClient, publicClient] }],
    ['authorizationServer.clients', withClient({ id: '' })],
    ['authorizationServer.clients', withClient({ id: 'ï' })],
    ['authorizationServer.clients', withClient({ name: '' })],
    ['authorizationServer.clients', withClient({ redirectUris: [] })],
    ['authorizationServer.clients', withClient({ redirectUris: ['http://client.example/cb'] })],
    ['authorizationServer.clients', withClient({ redirectUris: ['https://client.example/#'] })],
    ['authorizationServer.clients', withClient({ grants: ['refresh_token'] })],
    ['authorizationServer.clients', withClient({ grants: ['authorization_code', 'password'] })],
    ['authorizationServer.clients', withClient({ secret, introspects: notes })],
    [
      'authorizationServer.clients',
      { ...withClient({ introspects: notes }), introspection: introspection() },
    ],
    [
      'authorizationServer.clients',
      { ...withClient({ secret, introspects: api }), introspection: introspection() },
    ],
    ['authorizationServer.clients', withClient({ secret: 'short' })],
    ['authorizationServer.clients', withClient({ secret: [secret, secret, secret] })],
    ['authorizationServer.clients', withClient({ secret, authentication: 'none' })],
    ['authorizationServer.clients', withClient({ authentication: 'client_secret_basic' })],
    ['authorizationServer.clients', withClient({ authentication: 'private_key_jwt' })],
    ['authorizationServer.clients', withClient({ authentication: 'tls_client_auth' })],
    ['authorizationServer.clients', withClient({ jwks: { keys: [] }, secret })],
    ['authorizationServer.clients', withDevice({ deviceScopes: [] })],
    ['authorizationServer.clients', withDevice({ deviceScopes: 'read' })],
    ['authorizationServer.clients', withDevice({ deviceScopes: ['other'] })],
    ['authorizationServer.clients', withDevice({ grants: ['authorization_code'] })],
    ['authorizationServer.clients', withDevice({ grants: ['refresh_token'] })],
    ['authorizationServer.clients', withDevice({ redirectUris: undefined })],
    ['authorizationServer.clients', withDevice({ redirectUris: publicClient.redirectUris })],
    ['authorizationServer.clients', { ...withDevice({}), device: undefined }],
    ['authorizationServer.clients', withClient({ deviceScopes: ['read'] })],
    ['authorizationServer.device', { device: true }],
    ['authorizationServer.device', { device: { verificationUri: origin } }],
    ['authorizationServer.consent', { consent: 'granted' }],
    ['authorizationServer.grant', { grant: ['notes:read'] }],
    ['authorizationServer.events', { events: () => undefined }],
    ['authorizationServer.events.createGrants', { events: { createGrants: () => undefined } }],
    ['authorizationServer.events.removeGrant', { events: { removeGrant: true } }],
    ['authorizationServer.survivesRevokeAll', { survivesRevokeAll: 'always' }],
    ['authorizationServer.registration', { registration: true }],
    ['authorizationServer.storedClients', { storedClients: true }],
    ['authorizationServer.introspection', { introspection: true }],
    ['authorizationServer.assertions', { assertions: true }],
    ['authorizationServer.assertions', withClient({ jwks: { keys: [] } })],
    ['authorizationServer.clientMetadata', { clientMetadata: true }],
    ['authorizationServer.accessTokenMaxAge', { accessTokenMaxAge: 3601 }],
    ['authorizationServer.idle', { idle: 1.5 }],
    ['authorizationServer.maxAge', { maxAge: 0 }],
    ['authorizationServer.reuseSeconds', { reuseSeconds: 601 }],
    ...['oauth', '/.well-known', '/api/auth', '/api/auth/oauth', '/api'].map(
      (prefix): [string, object] => ['authorizationServer.prefix', { prefix }],
    ),
    ['authorizationServer.limits.reusesPerGrant', { limits: { reusesPerGrant: 5 } }],
  ])('%s: case %#, without repeating a secret', (option, options) => {
    expect(start(options)).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }))
    try {
      start(options)()
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ConfigurationError)
      expect(String(thrown)).not.toContain(secret)
    }
  })

  const { capabilities: _, ...noGrants } = memoryStorage()
  test.each<[string, object, readonly Capability[]]>([
    ['serviceUrl', { serviceUrl: undefined }, [tokens]],
    ['storage', { storage: undefined, session: {} }, [tokens]],
    ['grants', { storage: { ...noGrants, capabilities: ['sessions', 'sessionData'] } }, [tokens]],
    ['revocable', { session: { strategy: 'cookie' } }, [tokens]],
    ['apiTokens()', {}, []],
  ])('authorizationServer needs %s', (needed, config, others) => {
    expect(start({}, config, others)).toThrow(
      expect.objectContaining({
        option: 'authorizationServer',
        problem: expect.stringContaining(needed),
      }),
    )
  })
})
