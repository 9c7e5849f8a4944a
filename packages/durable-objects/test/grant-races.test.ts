import { fileURLToPath } from 'node:url'
import { startWorker } from '@latchkey/test-support/worker'
import { test } from 'vitest'
import {
  clientsRaceTitle,
  raceFromClients,
} from '../../authorization-server/test/support/processes.ts'

// Miniflare neither uses the network nor writes a file.
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

const objects = { LATCHKEY: { className: 'LatchkeyObject', useSQLite: true } }

test.for([
  ['D1', {}],
  ['D1 and Durable Objects', { durableObjects: objects }],
] as const)(`${clientsRaceTitle}: workerd with %s`, async ([, parts]) => {
  const file = fileURLToPath(new URL('support/race-worker.ts', import.meta.url))
  await using worker = await startWorker({ entryPoints: [file] }, { d1Databases: ['DB'], ...parts })
  await raceFromClients(worker)
})
