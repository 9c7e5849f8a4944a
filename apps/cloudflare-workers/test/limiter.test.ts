import { memoryLimiter } from '@latchkey/core/limiters'
import { describe, expect, test } from 'vitest'
import { createBrowserAt } from '../../../packages/core/test/support/limits.ts'
import { requestEmail, serveMail } from '../../../packages/core/test/support/mailbox.ts'
import { createLimiter, workersLimiter } from '../src/limiter.ts'
import type { RateLimit } from '../src/limiter.ts'

/** The binding as Cloudflare documents it, with a period that never ends. */
function createBinding(times: number): RateLimit & { readonly keys: string[] } {
  const keys: string[] = []
  return {
    keys,
    async limit({ key }) {
      keys.push(key)
      return { success: keys.filter((each) => each === key).length <= times }
    },
  }
}

describe('workersLimiter', () => {
  test('counts as its binding says, and waits for its period', async () => {
    const binding = createBinding(2)
    const service = serveMail({ limiter: workersLimiter(binding) })
    const request = (): Promise<Response> => requestEmail(service.browse())
    expect([(await request()).status, (await request()).status]).toEqual([302, 302])
    const response = await request()
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(service.mailbox.mails).toHaveLength(2)
    expect(binding.keys).toHaveLength(3)
  })

  test('waits for another period if the binding has one', async () => {
    const { browse } = serveMail({ limiter: workersLimiter(createBinding(0), 10) })
    expect((await requestEmail(browse())).headers.get('retry-after')).toBe('10')
  })

  test('counts each client and each email address under its own key', async () => {
    const binding = createBinding(1)
    const service = serveMail({ limiter: workersLimiter(binding) })
    const requestFrom = (clientIp: string, email: string): Promise<Response> =>
      requestEmail(createBrowserAt(service, clientIp), email)
    expect((await requestFrom('192.0.2.1', 'alice@example.com')).status).toBe(302)
    expect((await requestFrom('192.0.2.2', 'bob@example.com')).status).toBe(302)
    // For each: the sign-ins of a client, its emails, and the emails to an email address.
    expect(new Set(binding.keys).size).toBe(6)
  })

  test('a binding that fails: 503, and no email is sent', async () => {
    const limiter = workersLimiter({ limit: () => Promise.reject(new Error('secret detail')) })
    const { browse, mailbox } = serveMail({ limiter })
    expect((await requestEmail(browse())).status).toBe(503)
    expect(mailbox.mails).toEqual([])
  })
})

describe('createLimiter', () => {
  test('counts windows of a minute by the binding, longer ones by the other limiter', async () => {
    const binding = createBinding(0)
    const limiter = createLimiter(binding, memoryLimiter())
    expect(await limiter.take('client', { times: 5, window: 60 }, 0)).toBe(60)
    expect(await limiter.take('mailbox', { times: 5, window: 600 }, 0)).toBe(0)
    expect(binding.keys).toEqual(['client'])
  })
})
