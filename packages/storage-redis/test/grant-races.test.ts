import { join } from 'node:path'
import { redisUrl } from '@latchkey/test-support/servers'
import { test } from 'vitest'
import { raceForTokens, raceTitle } from '../../authorization-server/test/support/processes.ts'
import { onEveryLibrary } from './support/clients.ts'

onEveryLibrary('processes that share Redis', (connected) => {
  test(raceTitle, () => {
    const { storage, prefix } = connected()
    const file = join(import.meta.dirname, 'support/redeemer.ts')
    return raceForTokens(storage, { file, env: { DATABASE: redisUrl, PREFIX: prefix } })
  })
})
