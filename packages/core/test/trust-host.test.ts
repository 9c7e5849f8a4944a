import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigurationError, createAuth } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Browser, createMailbox } from '@latchkey/testing'
import { getPublicSuffix } from '../src/http/public-suffix.ts'
import { getConfigError, passport, secret } from './support/service.ts'
import type { LogLine } from './support/service.ts'

type TrustHost = NonNullable<AuthConfig['trustHost']>

interface Service {
  /** Asks at a URL, and returns the callback URL that the service has there, or its error. */
  readonly ask: (origin: string, headers?: Record<string, string>) => Promise<string>
  readonly lines: readonly LogLine[]
}

function serveHosts(trustHost: TrustHost | undefined, over: Partial<AuthConfig> = {}): Service {
  const lines: LogLine[] = []
  const line = (level: string) => (message: string, details: LogLine['details']) =>
    lines.push({ level, message, details })
  const { handle } = createAuth({
    secret,
    providers: [passport()],
    ...(trustHost !== undefined && { trustHost }),
    logger: { error: line('error'), warn: line('warn') },
    ...over,
  })
  return {
    lines,
    async ask(origin, headers = {}) {
      const response = await handle(new Request(`${origin}/api/auth/providers`, { headers }))
      const body = (await response.json()) as {
        readonly error: string
        readonly passport: { readonly callbackUrl: string }
      }
      return response.status === 200 ? body.passport.callbackUrl : body.error
    },
  }
}

const refused = 'Configuration'

/** Expects which of the origins a list answers, each under its own URL. */
async function expectAnswers(
  { ask }: Service,
  answered: readonly string[],
  others: readonly string[],
): Promise<void> {
  for (const origin of answered) {
    const { origin: own } = new URL(origin)
    expect([origin, await ask(origin)]).toEqual([origin, `${own}/api/auth/callback/passport`])
  }
  for (const origin of others) expect([origin, await ask(origin)]).toEqual([origin, refused])
}

describe('a list of hosts (I-57)', () => {
  test.each<[entry: string, answered: string[], others: string[]]>([
    [
      'example.com',
      ['https://example.com', 'https://example.com:443', 'https://EXAMPLE.com'],
      [
        'https://example.com:8443',
        'https://example.com.',
        'https://www.example.com',
        'https://example.com.evil.example',
        'https://evilexample.com',
        'https://evil.example',
        'http://example.com',
        'https://localhost',
        'http://localhost:3000',
      ],
    ],
    ['example.com:8443', ['https://example.com:8443'], ['https://example.com']],
    ['example.com:443', ['https://example.com'], ['https://example.com:8443']],
    [
      'example.com:*',
      ['https://example.com', 'https://example.com:1'],
      ['https://a.example.com:1'],
    ],
    [
      '*.example.com',
      ['https://a.example.com', 'https://xn--bcher-kva.example.com'],
      [
        'https://example.com',
        'https://a.b.example.com',
        'https://.example.com',
        'https://aexample.com',
        'https://a.example.com:8443',
        'https://a.example.com.',
        'https://a.example.com.evil.example',
      ],
    ],
    ['*.my-app.vercel.app:*', ['https://a.my-app.vercel.app:1'], ['https://my-app.vercel.app']],
    ['*.example.co.uk', ['https://a.example.co.uk'], ['https://example.co.uk']],
    ['github.io', ['https://github.io'], ['https://a.github.io']],
    ['intranet', ['https://intranet'], ['https://a.intranet']],
    ['10.0.0.1', ['https://10.0.0.1', 'https://0xa.1'], ['https://10.0.0.2', 'http://10.0.0.1']],
    ['[2001:db8::1]', ['https://[2001:db8::1]', 'https://[2001:db8:0::1]'], ['https://[::1]']],
    [
      'localhost:*',
      ['http://localhost', 'http://localhost:3000', 'https://localhost:3000'],
      ['http://127.0.0.1:3000', 'http://a.localhost:3000', 'https://example.com'],
    ],
    ['localhost', ['http://localhost', 'https://localhost'], ['http://localhost:3000']],
    ['localhost:3000', ['http://localhost:3000'], ['http://localhost', 'http://localhost:3001']],
    ['localhost:80', ['http://localhost'], ['https://localhost']],
    ['[::1]:*', ['http://[::1]:3000'], ['http://localhost:3000']],
  ])('%s', async (entry, answered, others) => {
    await expectAnswers(serveHosts([entry]), answered, others)
    await expectAnswers(serveHosts(['unused.example', entry]), answered, others)
  })

  test('the error says in the log what to do, and the reply says nothing', async () => {
    const { ask, lines } = serveHosts(['example.com'])
    expect(await ask('https://evil.example')).toBe(refused)
    expect(JSON.stringify(lines)).toContain(
      'trustHost (AUTH_TRUST_HOST) does not list evil.example',
    )
  })

  test('X-Forwarded-Host and the Host header choose nothing (I-2)', async () => {
    const { ask } = serveHosts(['example.com'])
    const headers = { 'x-forwarded-host': 'example.com', host: 'example.com' }
    expect(await ask('https://example.com', headers)).toContain('https://example.com/')
    expect(await ask('https://evil.example', headers)).toBe(refused)
  })

  test('a request to loopback needs a Host header of loopback (I-2)', async () => {
    const { ask } = serveHosts(['example.com', 'localhost:*'])
    expect(await ask('http://localhost:3000', { host: 'localhost:3000' })).toContain(
      'http://localhost',
    )
    expect(await ask('http://localhost:3000', { host: 'example.com' })).toBe(refused)
  })

  test('plain http needs allowInsecure, except on loopback (I-4)', async () => {
    const origin = 'http://example.com'
    expect(await serveHosts(['example.com']).ask(origin)).toBe(refused)
    const { ask } = serveHosts(['example.com'], { allowInsecure: true })
    expect(await ask(origin)).toContain(origin)
    expect(await serveHosts(['example.com:80'], { allowInsecure: true }).ask(origin)).toContain(
      origin,
    )
  })

  test('is not asked if serviceUrl is set, but checked', async () => {
    const serviceUrl = 'https://app.example'
    const { ask } = serveHosts(['example.com'], { serviceUrl })
    expect(await ask('https://evil.example')).toBe('https://app.example/api/auth/callback/passport')
    expect(getConfigError(() => ({ serviceUrl, trustHost: ['*'] }))?.[0]).toBe('trustHost')
  })

  test('makes secrets of the documentation unusable, unless all hosts are loopback', () => {
    const weak = 'thirty-two random bytes or more: openssl rand -base64 32'
    const create = (trustHost: TrustHost) => () =>
      createAuth({ secret: weak, providers: [passport()], trustHost })
    expect(create(['localhost:*', '127.0.0.1:3000'])).not.toThrow()
    expect(create(['localhost:*', 'example.com'])).toThrow(/^secret: /)
  })
})

describe('refused at start-up (I-57)', () => {
  const wildcard = /is a wildcard below a public suffix/
  const otherWildcard = /has \* other than as its first label or port/
  const ip = /is a wildcard of IP addresses/
  const path = /has a path or credentials/
  const port = /must have a port of 1 to 65535/
  const spelling = /is not a host as URLs spell it/

  test.each<[unknown, RegExp]>([
    ['*', /is every host: use trustHost: true/],
    ['*.com', wildcard],
    ['*.com:*', wildcard],
    ['*.co.uk', wildcard],
    ['*.github.io', wildcard],
    ['*.vercel.app', wildcard],
    ['*.pages.dev:8443', wildcard],
    ['*.app.github.dev', wildcard],
    ['*.replit.dev', wildcard],
    ['*.2.3.4.nip.io', wildcard],
    ['*.westeurope.azurecontainerapps.io', wildcard],
    ['*.s3.amazonaws.com', wildcard],
    ['*.s3.eu-west-1.amazonaws.com', wildcard],
    ['*.or.jp', wildcard],
    ['*.gob.mx', wildcard],
    ['*.localhost:*', wildcard],
    ['*.example.com.', spelling],
    ['*.com.', spelling],
    ['https://example.com', /is a URL/],
    ['https://*.example.com', /is a URL/],
    ['//example.com', path],
    ['example.com/', path],
    ['example.com/path', path],
    ['example.com?x', path],
    ['example.com#x', path],
    ['user:hunter2@example.com', path],
    ['example.com\\path', path],
    ['*.0.0.1', ip],
    ['*.1', ip],
    ['*.10.0.0.1', ip],
    ['*.[::1]', ip],
    ['127.0.0.*', otherWildcard],
    ['[::*]', spelling],
    ['*:443', otherWildcard],
    ['*example.com', otherWildcard],
    ['a.*.example.com', otherWildcard],
    ['*.*.example.com', otherWildcard],
    ['**.example.com', otherWildcard],
    ['example.*', otherWildcard],
    ['example.com:**', otherWildcard],
    ['example.com:', /is not a host/],
    ['example.com:0', port],
    ['example.com:65536', port],
    ['example.com:0443', port],
    ['example.com:a', /is not a host/],
    ['', /is not a host/],
    ['Example.com', spelling],
    ['bücher.example', spelling],
    ['example.com.', spelling],
    ['.example.com', spelling],
    ['a..example.com', spelling],
    ['exa mple.com', spelling],
    ['127.1', spelling],
    ['::1', /is not a host/],
    ['[0::1]', spelling],
    [5, /is not a text/],
    [undefined, /is not a text/],
  ])('%j', (entry, problem) => {
    const error = getConfigError(() => ({ trustHost: ['example.com', entry as string] }))
    expect(error).toEqual(['trustHost', expect.stringMatching(/^\[1\] /)])
    expect(error?.[1]).toMatch(problem)
    expect(error?.[1]).not.toContain('hunter2')
  })

  test.each([[[]], ['example.com'], [{}], [null], [1], ['true']])('%j as the option', (value) => {
    const error = getConfigError(() => ({ trustHost: value as never }))
    expect(error).toEqual(['trustHost', 'must be true, false or a list of hosts'])
  })
})

describe('trustHost: true', () => {
  test('warns at the first request of a host that is not loopback, once (I-57)', async () => {
    const { ask, lines } = serveHosts(true)
    expect(await ask('http://localhost:3000')).toContain('http://localhost:3000/')
    expect(lines).toEqual([])
    for (const host of ['https://one.example', 'https://two.example', 'https://one.example']) {
      expect(await ask(host)).toContain(host)
    }
    expect(lines).toEqual([
      {
        level: 'warn',
        message: expect.stringContaining('list the hosts, or set serviceUrl') as string,
        details: { error: 'Configuration', host: 'one.example' },
      },
    ])
  })

  test('answers a request to loopback whatever its Host header is: a proxy keeps it', async () => {
    const ask = (trustHost: TrustHost): Promise<string | null> =>
      serveHosts(trustHost).ask('http://localhost:3000', { host: 'app.example' })
    expect(await ask(true)).toContain('http://localhost:3000/')
    expect(await ask(['localhost:*'])).toBe(refused)
  })

  test.each([false, undefined])(
    '%j answers only loopback, without a warning (I-2)',
    async (value) => {
      const service = serveHosts(value)
      await expectAnswers(service, ['http://localhost:3000', 'https://127.0.0.1'], [])
      expect(service.lines).toEqual([])
      await expectAnswers(service, [], ['https://example.com', 'http://localhost.example'])
    },
  )
})

describe('for every list and host', () => {
  // An encoded label must be one of another script.
  const label = fc
    .stringMatching(/^[a-z][a-z\d-]{0,5}[a-z\d]$/)
    .filter((text) => !text.startsWith('xn--'))
  const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))

  test('what is accepted as an entry answers its own host, or one label below, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        name,
        name,
        label,
        fc.boolean(),
        async (listed, other, first, isWildcard) => {
          const entry = isWildcard ? `*.${listed}` : listed
          const isSuffix = isWildcard && getPublicSuffix(listed) === listed
          expect(getConfigError(() => ({ trustHost: [entry] })) !== undefined).toBe(isSuffix)
          if (isSuffix) return
          const { ask } = serveHosts([entry])
          const below = `https://${first}.${listed}`
          expect((await ask(below)) === refused).toBe(!isWildcard)
          expect((await ask(`https://${listed}`)) === refused).toBe(isWildcard)
          expect(await ask(`https://${first}.${first}.${listed}`)).toBe(refused)
          fc.pre(other !== listed && !other.endsWith(`.${listed}`))
          expect(await ask(`https://${other}`)).toBe(refused)
        },
      ),
    )
  })

  test('no text is an entry that answers a host which it does not spell out', async () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('*.:/@[]\\?# evil%0aé-')) })
    await fc.assert(
      fc.asyncProperty(text, async (entry) => {
        const error = getConfigError(() => ({ trustHost: [entry] }))
        expect(error?.[0] ?? 'trustHost').toBe('trustHost')
        if (error) return
        expect(await serveHosts([entry]).ask('https://attacker.example')).toBe(refused)
      }),
      { numRuns: 300 },
    )
  })
})

test('the problem of a list is a ConfigurationError', () => {
  expect(() => serveHosts(['*'])).toThrow(ConfigurationError)
})

describe('the host of links in emails (I-57.8)', () => {
  const wildcards = ['app.example', '*.preview.example']

  function serveEmails(
    trustHost: TrustHost | undefined,
    linkHost?: (host: string) => boolean,
  ): { readonly ask: (origin: string) => Promise<string | null> } {
    const mailbox = createMailbox()
    const provider = email({
      mailer: mailbox,
      from: 'a@app.example',
      ...(linkHost && { linkHost }),
    })
    const { handle } = createAuth({
      secret,
      storage: memoryStorage(),
      providers: [provider],
      ...(trustHost !== undefined && { trustHost }),
      logger: { error: () => undefined, warn: () => undefined },
    })
    return {
      async ask(origin) {
        const browser = new Browser(handle, `${origin}/api/auth`)
        const sent = mailbox.mails.length
        const response = await browser.submit('/signin/email', { email: 'alice@example.com' })
        const location = response.headers.get('location') ?? ''
        expect(location).toContain(mailbox.mails.length > sent ? '/verify-request' : refused)
        if (mailbox.mails.length === sent) return null
        return new URL(await mailbox.linkTo('alice@example.com')).origin
      },
    }
  }

  test.each<[TrustHost | undefined, string]>([
    [undefined, 'http://localhost:3000'],
    [false, 'http://127.0.0.1:3000'],
    [['localhost:*', '[::1]:*'], 'http://localhost:3000'],
    [['app.example', 'app.example:8443'], 'https://app.example:8443'],
  ])('of %j needs no linkHost', async (trustHost, origin) => {
    expect(await serveEmails(trustHost).ask(origin)).toBe(origin)
  })

  test.each<[TrustHost]>([
    [true],
    [wildcards],
    [['app.example:*']],
    [['localhost:*', '*.app.example:*']],
  ])('%j is refused at start-up without serviceUrl', (trustHost) => {
    expect(() => serveEmails(trustHost)).toThrow(/^providers\.email: .*serviceUrl/)
    const provider = email({ mailer: createMailbox(), from: 'a@app.example' })
    const parts = { storage: memoryStorage(), providers: [provider] }
    expect(getConfigError(() => ({ ...parts, trustHost, serviceUrl: undefined }))).toBeDefined()
    expect(getConfigError(() => ({ ...parts, trustHost }))).toBeUndefined()
  })

  test('the message shows both options', () => {
    expect(() => serveEmails(wildcards)).toThrow(
      /\*\.preview\.example.*serviceUrl, or linkHost: \(host\) => boolean/,
    )
  })

  test('linkHost does not replace serviceUrl beside trustHost: true', () => {
    expect(() => serveEmails(true, () => true)).toThrow(/^providers\.email: trustHost: true/)
  })

  test('a host that linkHost does not name sends no email', async () => {
    const asked: string[] = []
    const service = serveEmails(wildcards, (host) => {
      asked.push(host)
      return host === 'mine.preview.example'
    })
    expect(await service.ask('https://mine.preview.example')).toBe('https://mine.preview.example')
    expect(await service.ask('https://evil.preview.example')).toBeNull()
    expect(await service.ask('https://app.example')).toBeNull()
    expect(asked).toEqual(['mine.preview.example', 'evil.preview.example', 'app.example'])
  })

  test('only true names a host', async () => {
    const service = serveEmails(wildcards, () => 'true' as never)
    expect(await service.ask('https://mine.preview.example')).toBeNull()
  })

  test('loopback is not asked for', async () => {
    const service = serveEmails(['localhost:*', '*.preview.example'], () => false)
    expect(await service.ask('http://localhost:3000')).toBe('http://localhost:3000')
  })
})
