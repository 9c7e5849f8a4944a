import { createAuth } from '@latchkey/core'
import { readEnvironment } from './environment.ts'
import { run } from './run.ts'
import { listen, listenerOf } from './server.ts'

await run(async () => {
  const { config, host, port } = readEnvironment(process.env)
  const { handle } = createAuth(config)
  const server = await listen(
    listenerOf((request) => handle(request)),
    { host, port },
  )
  const reach = config.serviceUrl ?? 'loopback only, as SERVICE_URL is not set'
  console.log(`latchkey: listening on ${server.address} (for ${String(reach)})`)
  return [server]
})
