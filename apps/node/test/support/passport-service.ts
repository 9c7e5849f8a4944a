import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import { openDatabase } from '../../src/database.ts'
import { run } from '../../src/run.ts'
import { listen, listenerOf, withClose } from '../../src/server.ts'

/** A service whose provider asks nobody: it is about what is stored of people. */
await run(async () => {
  const { storage, close } = await openDatabase(process.env['AUTH_DATABASE'] ?? '')
  const { handle } = createAuth(contractConfig({ storage, limits: { callbacksPerClient: false } }))
  const server = await listen(listenerOf(handle), { host: 'localhost', port: 0 })
  console.log(`listening on ${server.address}`)
  return [withClose(server, close)]
})
