import { expect, test } from 'vitest'
import { serveMail } from './support/mailbox.ts'
import { origin } from './support/service.ts'

/** Texts that a pattern which is not anchored, or repeats a repetition, reads again from each place. */
const units = [
  'a',
  '/',
  '://a',
  '/signin/a',
  '%2F',
  '&a=b',
  ';a=b',
  ',a;q=1',
  ' ',
  '\t',
  '.',
  '@a',
  '-',
  '"',
]

/** The longest text of the short input. The long one is eight times as long. */
const LENGTH = 4096
const FACTOR = 8

const headers = [
  'accept',
  'accept-language',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'origin',
  'sec-fetch-site',
  'sec-purpose',
  'user-agent',
  'x-auth-return-redirect',
]
const fields = ['callbackUrl', 'code', 'csrfToken', 'email', 'json', 'link', 'resend', 'other']

/** Where a text can stand in a request. */
const places: readonly (readonly [name: string, send: (text: string) => Request])[] = [
  ['a path outside the base path', (text) => new Request(`${origin}/${text}`)],
  ['a path below the base path', (text) => new Request(`${origin}/api/auth/${text}`)],
  ['the id of a provider', (text) => new Request(`${origin}/api/auth/signin/${text}`)],
  ['a query', (text) => new Request(`${origin}/api/auth/callback/email?${text}`)],
  ['a parameter', (text) => new Request(`${origin}/api/auth/signin?callbackUrl=${text}`)],
  ...headers.map(
    (name) =>
      [
        `the header ${name}`,
        (text: string) =>
          new Request(`${origin}/api/auth/session`, { headers: { [name]: `x${text}x` } }),
      ] as const,
  ),
  [
    'a cookie',
    (text) =>
      new Request(`${origin}/api/auth/session`, {
        headers: { cookie: `latchkey.session=${text}` },
      }),
  ],
  ...fields.map((name) => [`the field ${name}`, (text: string) => post({ [name]: text })] as const),
  ['the name of a field', (text) => post({ [text]: 'a' })],
]

let csrf = { csrfToken: '', cookie: '' }

function post(added: Readonly<Record<string, string>>): Request {
  const body = new URLSearchParams({ csrfToken: csrf.csrfToken, email: 'a@example.com', ...added })
  return new Request(`${origin}/api/auth/signin/email`, {
    method: 'POST',
    body,
    headers: { cookie: csrf.cookie },
  })
}

test.each(places)(
  '%s of eight times the length takes about eight times the work',
  async (_, send) => {
    const { auth } = serveMail({
      limits: { mailsPerAddress: false, mailsPerClient: false, startsPerClient: false },
    })
    const response = await auth.handle(new Request(`${origin}/api/auth/csrf`))
    const { csrfToken }: { readonly csrfToken: string } = await response.json()
    csrf = { csrfToken, cookie: String(response.headers.get('set-cookie')).split(';', 1)[0] ?? '' }

    /** The milliseconds of the fastest of several requests: others of this machine only add to it. */
    const measure = async (unit: string, length: number): Promise<number> => {
      const text = unit.repeat(Math.floor(length / unit.length))
      let fastest = Number.POSITIVE_INFINITY
      for (let i = 0; i < 5; i++) {
        const request = send(text)
        const start = performance.now()
        await auth.handle(request)
        fastest = Math.min(fastest, performance.now() - start)
      }
      return fastest
    }
    for (const unit of units) {
      const [short, long] = [await measure(unit, LENGTH), await measure(unit, LENGTH * FACTOR)]
      // Quadratic work would be 64 times as much, of milliseconds.
      expect(long, `${JSON.stringify(unit)}, ${short} ms before`).toBeLessThan(
        short * FACTOR * 3 + 5,
      )
    }
  },
)
