import { createAuth } from '@latchkey/core'
import { openDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { run } from './run.ts'
import { listen, listenerOf, withClose } from './server.ts'

await run(async () => {
  const {
    config,
    host,
    port,
    database: setting,
    clientAddressHeader,
  } = readEnvironment(process.env)
  const database = setting === undefined ? undefined : await openDatabase(setting)
  const { handle } = createAuth({ ...config, ...(database && { storage: database.storage }) })
  const server = await listen(listenerOf(handle, { clientAddressHeader }), { host, port })
  const reach = config.serviceUrl ?? 'loopback only, as SERVICE_URL is not set'
  console.log(`latchkey: listening on ${server.address} (for ${String(reach)})`)
  console.log(`latchkey: ${database ? `users in ${database.description}` : 'nothing is stored'}`)
  return [database ? withClose(server, database.close) : server]
})
