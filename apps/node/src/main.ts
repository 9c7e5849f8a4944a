import { createAuth } from '@latchkey/core'
import { nameVariables } from '@latchkey/environment'
import { closeAfterStop, createListener, listen, run } from '@latchkey/node'
import { openDatabase } from '@latchkey/node/database'
import { readSettings } from './environment.ts'

await run(async () => {
  const { config, host, port, database: setting, clientIpHeader } = await readSettings(process.env)
  const database = setting === undefined ? undefined : await openDatabase(setting)
  const { handle } = nameVariables(() =>
    createAuth({ ...config, ...(database && { storage: database.storage }) }),
  )
  const server = await listen(createListener(handle, { clientIpHeader }), { host, port })
  const audience = config.serviceUrl ?? 'loopback only, as SERVICE_URL is not set'
  console.log(`latchkey: listening on ${server.url} (for ${String(audience)})`)
  console.log(`latchkey: ${database ? `users in ${database.description}` : 'nothing is stored'}`)
  return [database ? closeAfterStop(server, database.close) : server]
})
