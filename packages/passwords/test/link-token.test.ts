import { describe, expect, test } from 'vitest'
import {
  alice,
  ask,
  base,
  choose,
  fastHasher,
  getEmail,
  good,
  other,
  servePasswords,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

interface Counts {
  readonly service: PasswordService
  /** Passwords that were looked up and hashed. */
  readonly counts: { checks: number; hashes: number }
}

/** Serves passwords of which {@link other} is known to attackers. */
function serveCounted(): Counts {
  const counts = { checks: 0, hashes: 0 }
  const hasher = fastHasher()
  const service = servePasswords({
    hasher: {
      ...hasher,
      hash: (password) => {
        counts.hashes++
        return hasher.hash(password)
      },
    },
    check: async (password) => {
      counts.checks++
      return password === other
    },
  })
  return { service, counts }
}

async function getLink(service: PasswordService, address = alice): Promise<URL> {
  await ask(service.browse(), 'register', address)
  return new URL(await service.mailbox.linkTo(address))
}

describe('the token of a link (I-55.2)', () => {
  test.each<[string, (link: URL, token: string) => void]>([
    ['is made up', (link) => link.searchParams.set('token', 'x'.repeat(86))],
    ['has the form of sign-in by email', (link) => link.searchParams.set('token', 'x'.repeat(43))],
    ['is of another email address', (link) => link.searchParams.set('email', 'bob@example.com')],
    [
      'is changed at the start',
      (link, token) =>
        link.searchParams.set('token', `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`),
    ],
    ['is cut', (link, token) => link.searchParams.set('token', token.slice(0, -1))],
    ['is longer', (link, token) => link.searchParams.set('token', `${token}A`)],
  ])('that %s causes no request and no hash', async (_, change) => {
    const { service, counts } = serveCounted()
    const link = await getLink(service)
    // A decoy was hashed at the start.
    counts.hashes = 0
    const changed = new URL(link)
    change(changed, link.searchParams.get('token') ?? '')
    const shown = await service.browse().visit(changed.href)
    expect(shown.headers.get('location')).toMatch(/action=forgot.*error=Verification/)
    for (const password of [good, other]) {
      const response = await choose(service.browse(), changed.href, password)
      expect(response.headers.get('location')).toContain('error=Verification')
    }
    expect(counts).toEqual({ checks: 0, hashes: 0 })
    expect((await choose(service.browse(), link.href, other)).status).toBe(400)
    const browser = service.browse()
    expect((await choose(browser, link.href, good)).status).toBe(302)
    expect(counts).toEqual({ checks: 2, hashes: 1 })
    expect(await getEmail(browser)).toBe(alice)
  })

  test('is valid under every configured secret', async () => {
    const service = servePasswords()
    const link = await getLink(service)
    const secret = ['another secret of thirty-two bytes', 'a secret of thirty-two bytes or more']
    const next = servePasswords({}, { secret, storage: service.storage })
    const browser = next.browse()
    expect((await browser.visit(link.href)).status).toBe(200)
    await choose(browser, link.href, good)
    expect(await getEmail(browser)).toBe(alice)
    const [, only = ''] = [...secret].toReversed()
    const last = servePasswords({}, { secret: only, storage: service.storage })
    const refused = await last.browse().visit((await getLink(service, 'b@example.com')).href)
    expect(refused.headers.get('location')).toContain(`${base}/signin/passwords?`)
  })
})
