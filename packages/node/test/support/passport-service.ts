import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import { openDatabase } from '../../src/database.ts'
import { closeAfterStop, createListener, listen, run } from '../../src/index.ts'

// A service whose provider accepts any subject, for tests of the database.
await run(async () => {
  const { storage, close } = await openDatabase(process.env['AUTH_DATABASE'] ?? '')
  const { handle } = createAuth(
    contractConfig({ storage, limits: { startsPerClient: false, callbacksPerClient: false } }),
  )
  const server = await listen(createListener(handle), { host: 'localhost', port: 0 })
  console.log(`listening on ${server.url}`)
  return [closeAfterStop(server, close)]
})
