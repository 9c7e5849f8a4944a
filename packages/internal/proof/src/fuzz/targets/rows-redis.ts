import { redisStorage } from '@latchkey/storage-redis'
import type { NodeRedisClient } from '../../../../../storage-redis/src/client.ts'
import { redisUrl } from '@latchkey/test-support/servers'
import { createClient } from 'redis'
import { removeKeys } from '../redis-keys.ts'
import { drawRowsCase, runRowsCase } from '../rows-service.ts'
import type { OpenStorage, RowsCase } from '../rows-service.ts'
import { defineTarget } from '../target.ts'
import type { Target } from '../target.ts'

/** Replies of Redis, with other types, nil, missing fields and corrupt JSON. */
export const target: Target = defineTarget<RowsCase>({
  name: 'rows-redis',
  draw: drawRowsCase,
  async open() {
    const client = createClient({ url: redisUrl })
    client.on('error', () => undefined)
    await client.connect()
    let count = 0
    const open: OpenStorage = async (alter) => {
      const prefix = `{fuzz-${process.pid}-${count++}}:`
      const altered: NodeRedisClient = {
        evalSha: async (hash, call) => alter(await client.evalSha(hash, call)),
        eval: async (text, call) => alter(await client.eval(text, call)),
      }
      const storage = redisStorage(altered, { prefix, logger: { warn: () => undefined } })
      return { storage, close: async () => undefined }
    }
    return {
      run: (given) => runRowsCase(given, open),
      async close() {
        await removeKeys(client, `fuzz-${process.pid}-`)
        client.destroy()
      },
    }
  },
})
