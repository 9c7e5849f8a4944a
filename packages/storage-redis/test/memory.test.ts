import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, libraries } from './support/clients.ts'
import { hasRedisServer, startRedis } from './support/servers.ts'

const USERS = 10_000
const MONTH = 30 * 86_400
const userAgent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

/** Creates a text as long as a session's hash or a subject. */
const token = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

test.runIf(hasRedisServer)(
  'a user with an account, an email address and two sessions takes what the manual says',
  async () => {
    const [library] = libraries
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const { client, close } = (await library?.connect(server.url)) ?? {}
    if (!client) return
    const storage = createStorage(client, {})
    const getMemory = (): number =>
      Number(/used_memory:(\d+)/.exec(server.run('INFO', 'memory'))?.[1])
    const create = async (): Promise<void> => {
      const user = buildUser({ image: 'https://avatars.example.com/u/1234567?v=4' })
      const providerAccountId = `${Math.floor(Math.random() * 1e12)}`
      const account = buildAccount({ provider: 'github', providerAccountId })
      const data = JSON.stringify({ csrfTokenHash: token(), userAgent })
      const start = (): ReturnType<typeof buildSession> =>
        buildSession({ id: token(), expires: NOW + MONTH, account, data })
      await storage.createUser(user, account, start())
      await storage.createSession(user.id, start())
    }
    const before = getMemory()
    for (let i = 0; i < USERS; i += 500) await Promise.all(Array.from({ length: 500 }, create))
    const bytes = (getMemory() - before) / USERS
    expect(bytes).toBeGreaterThan(3500)
    expect(bytes).toBeLessThan(4500)
    close?.()
  },
)
