/** One process with an authorization server, configured by environment variables. */
import { createClient } from 'redis'
import { redisStorage } from '@latchkey/storage-redis'
import { serveProcess } from '../../../authorization-server/test/support/process.ts'

const { DATABASE = '', PREFIX = '' } = process.env

const client = createClient({ url: DATABASE })
await client.connect()
await serveProcess(redisStorage(client, { prefix: PREFIX, logger: { warn: () => {} } }))
