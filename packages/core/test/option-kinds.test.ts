import { ConfigurationError, createAuth, parseServiceUrl } from '@latchkey/core'
import { createTheme } from '@latchkey/core/pages/theme'
import { oidc } from '@latchkey/core/providers/oidc'
import { github } from '@latchkey/core/providers/github'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { optionNames } from '../src/service/option-names.ts'
import { origin, passport, secret } from './support/service.ts'

/** A value of each kind. Each text would be a secret. */
const values = {
  undefined: undefined,
  null: null,
  boolean: true,
  number: 42.5,
  NaN: Number.NaN,
  text: 'hunter2 hunter2',
  'empty text': '',
  symbol: Symbol('hunter2'),
  bigint: 42n,
  function: (): string => 'hunter2',
  object: { hunter2: 'hunter2' },
  'empty object': {},
  list: ['hunter2 hunter2'],
  'list of objects': [{}],
  'list of null': [null],
  promise: Promise.resolve('hunter2'),
} as const
type Kind = keyof typeof values

/** The kinds that each option accepts besides `undefined`; members of objects after a dot. */
const accepted: Readonly<Record<string, readonly Kind[]>> = {
  secret: [],
  providers: [],
  use: [],
  serviceUrl: [],
  trustHost: ['boolean'],
  trustedOrigins: [],
  allowInsecure: ['boolean'],
  storage: [],
  callbacks: ['empty object'],
  'callbacks.signIn': ['function'],
  'callbacks.redirect': ['function'],
  'callbacks.jwt': ['function'],
  'callbacks.session': ['function'],
  joinsUnverified: [],
  session: ['empty object'],
  'session.strategy': [],
  'session.revocable': [],
  'session.acceptsDeletedUsers': ['boolean'],
  'session.importFrom': [],
  'session.empty': [],
  'session.accessTokens': [],
  'session.maxAge': [],
  'session.updateAge': [],
  'session.absoluteMaxAge': [],
  'session.update': ['function'],
  events: ['empty object'],
  ...Object.fromEntries(
    listMembers('events').map((name) => [`events.${name}`, ['function'] as const]),
  ),
  outbox: [],
  pages: ['empty object'],
  'pages.signIn': ['text'],
  'pages.signOut': ['text'],
  'pages.error': ['text'],
  'pages.verifyRequest': ['text'],
  'pages.newUser': ['text'],
  theme: [],
  'theme.colorScheme': [],
  'theme.light': ['empty object'],
  'theme.light.text': [],
  'theme.dark': ['empty object'],
  'theme.dark.accent': [],
  'theme.radius': ['number'],
  'theme.fontFamily': ['text'],
  'theme.brand': [],
  'theme.marks': ['function'],
  'theme.legal': ['empty object'],
  'theme.legal.terms': [],
  'theme.stylesheet': ['text'],
  'theme.providersFirst': ['boolean'],
  messages: ['empty object'],
  'messages.de': ['object', 'empty object', 'list of objects'],
  cookies: ['empty object'],
  'cookies.session': ['empty object'],
  'cookies.session.name': [],
  'cookies.session.domain': [],
  'cookies.flow.name': [],
  limits: ['empty object'],
  'limits.mailsPerAddress': [],
  limiter: [],
  metadataCache: [],
  timeouts: ['empty object'],
  'timeouts.request': ['number'],
  'timeouts.callback': ['number'],
  'timeouts.answer': ['number'],
  logger: [],
  'logger.error': ['function'],
  'logger.warn': ['function'],
  runtime: ['empty object'],
  ...Object.fromEntries(
    listMembers('runtime').map((name) => [`runtime.${name}`, ['function'] as const]),
  ),
}

const logger = { error: (): undefined => undefined, warn: (): undefined => undefined }

/** What the option needs besides, so that the configuration is valid without the option. */
test('parseServiceUrl names the option if its value is neither a text nor a URL', () => {
  expect(parseServiceUrl('https://app.example').origin).toBe('https://app.example')
  expect(() => parseServiceUrl(5 as never)).toThrow(
    expect.objectContaining({
      option: 'serviceUrl',
      problem: expect.stringContaining('http(s) URL'),
    }),
  )
})

const base = { serviceUrl: origin, secret, providers: [passport()], logger }

/** Returns the names of the members of a group, without what says their kind. */
function listMembers(group: string): readonly string[] {
  const [, ...members] =
    optionNames
      .split(';')
      .find((line) => line.startsWith(`${group} `))
      ?.split(' ') ?? []
  return members.map((member) => member.replace(/\W+$/, ''))
}

/** Returns a configuration in which one option has a value. */
function withOption(path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.')
  const given = rest.length === 0 ? value : withOption(rest.join('.'), value)
  const others = name === 'logger' && rest.length > 0 ? logger : {}
  return { [name]: rest.length === 0 ? value : { ...others, ...Object(given) } }
}

/** Returns a valid configuration in which one option has a value. */
function configure(option: string, value: unknown): never {
  const given = { ...base, ...withOption(option, value) }
  if (!option.startsWith('theme.')) return given as never
  return {
    ...given,
    theme: createTheme((given as { readonly theme?: object }).theme ?? {}),
  } as never
}

/** Returns the error of a configuration; undefined if it is accepted. */
function getError(create: () => unknown): unknown {
  try {
    create()
    return undefined
  } catch (thrown) {
    return thrown
  }
}

/** Expects an error that names the option and has no sign of a value that was put into a text. */
function expectError(thrown: unknown, option: string): void {
  expect(thrown).toBeInstanceOf(ConfigurationError)
  const { message, option: named } = thrown as ConfigurationError
  expect(option.startsWith(named) || named.startsWith(option)).toBe(true)
  expect(message.startsWith(named)).toBe(true)
  expect(message).not.toMatch(/\[object|found $|found ,|\ba object|hunter2 hunter2|Symbol\(/)
}

test('the table has every option, and every function of a group', () => {
  const [top = ''] = optionNames.split(';')
  const names = top
    .trim()
    .split(' ')
    .map((name) => name.replace(/\W+$/, ''))
  const groups = ['callbacks', 'events', 'session', 'timeouts', 'runtime']
  const members = groups.flatMap((group) => listMembers(group).map((name) => `${group}.${name}`))
  for (const name of [...names, ...members]) expect(accepted).toHaveProperty([name])
})

describe('a value of another kind is refused at start-up, with the name of the option', () => {
  const cases = Object.entries(accepted).flatMap(([option, kinds]) =>
    (Object.keys(values) as Kind[])
      .filter((kind) => kind !== 'undefined' && !kinds.includes(kind))
      .map((kind) => [option, kind] as const),
  )

  test.each(Object.keys(accepted))('%s: the same configuration is valid without it', (option) => {
    const required = ['secret', 'providers', 'logger.error', 'logger.warn']
    const thrown = getError(() => createAuth(configure(option, undefined)))
    expect(thrown === undefined).toBe(!required.includes(option))
  })

  test.each(cases)('%s: %s', (option, kind) => {
    expectError(
      getError(() => createAuth(configure(option, values[kind]))),
      option,
    )
  })

  test('any value: what is refused is refused with the name of the option', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true })
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(accepted)), anything, (option, value) => {
        const thrown = getError(() => createAuth(configure(option, value)))
        if (thrown !== undefined) expectError(thrown, option)
      }),
      { numRuns: 3000 },
    )
  })

  test.for([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a number', 42],
    ['a list', []],
  ])('the configuration itself: %s', ([, config]) => {
    expect(() => createAuth(config as never)).toThrow(/^createAuth: must be an object, found /)
  })
})

describe('an option of a provider', () => {
  const valid = { clientId: 'a', clientSecret: 'b' }
  const options = ['id', 'name', 'clientId', 'clientSecret', 'scope', 'params', 'forward', 'checks']
  const more = ['profile', 'linkByVerifiedEmail', 'userId', 'trustEmailVerified', 'responseMode']

  test.each([...options, ...more, 'clientAuthentication', 'privateKey'])(
    '%s: what is refused is refused with its name',
    (option) => {
      const create = (over: object): unknown =>
        createAuth({
          ...base,
          providers: [
            oidc({ id: 'op', name: 'OP', issuer: 'https://op.example', ...valid, ...over }),
          ],
        })
      expect(getError(() => create({}))).toBeUndefined()
      for (const value of Object.values(values)) {
        const thrown = getError(() => create({ [option]: value }))
        if (thrown === undefined) continue
        expect(thrown).toBeInstanceOf(ConfigurationError)
        const { message } = thrown as ConfigurationError
        expect(message).toMatch(/^providers\b/)
        expect(message).toContain(option === 'privateKey' ? 'private' : option)
        expect(message).not.toMatch(/\[object|found $|\ba object|Symbol\(/)
        if (option === 'clientSecret') expect(message).not.toContain('hunter2')
      }
    },
  )

  test.each([
    [{ clientId: 'a' }, /^providers\.github\.clientSecret: is missing/],
    [{ clientSecret: 'a' }, /^providers\.github\.clientId: is missing/],
    [{ clientId: '', clientSecret: 'a' }, /^providers\.github\.clientId: is (missing|empty)/],
    [{ clientId: 'a', clientSecret: '' }, /^providers\.github\.clientSecret: is (missing|empty)/],
    [{ clientId: undefined, clientSecret: undefined }, /^providers\.github\.clientId/],
  ])('half a provider: %j', (over, message) => {
    expect(getError(() => github({ clientId: 'a', clientSecret: 'b' }))).toBeUndefined()
    expect(() => createAuth({ ...base, providers: [github(over as never)] })).toThrow(message)
  })
})
