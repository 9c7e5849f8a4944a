import { redisUrl } from '@latchkey/test-support/servers'
import { createClient } from 'redis'
import { test } from 'vitest'
import { checkAlteredRows } from '../../core/test/support/altered-rows.ts'
import { checkSameAsMemory } from '../../core/test/support/storage-calls.ts'
import { createPrefix, createStorage, isRedisReachable, onEveryLibrary } from './support/clients.ts'

onEveryLibrary('any sequence of calls', (connected) => {
  test('returns what the memory storage returns', () => checkSameAsMemory(connected().storage))
})

test.runIf(isRedisReachable)(
  'whatever Redis replies, the service answers as documented',
  async () => {
    const client = createClient({ url: redisUrl })
    client.on('error', () => undefined)
    await client.connect()
    try {
      await checkAlteredRows(async (alter) => {
        const altered = {
          evalSha: async (...args: Parameters<typeof client.evalSha>) =>
            alter(await client.evalSha(...args)),
          eval: async (...args: Parameters<typeof client.eval>) =>
            alter(await client.eval(...args)),
        }
        return createStorage(altered, { prefix: createPrefix() })
      })
    } finally {
      client.destroy()
    }
  },
)
