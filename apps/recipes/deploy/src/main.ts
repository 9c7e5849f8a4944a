import { createListener, listen, run } from '@latchkey/node'
import { app } from './app.ts'

// SIGTERM, which Docker and Fly.io send, stops the server after its open requests.
await run(async () => {
  const listener = createListener(app, { clientIpHeader: process.env['CLIENT_IP_HEADER'] })
  const port = Number(process.env['PORT'] ?? 3000)
  const server = await listen(listener, { host: process.env['HOST'] ?? 'localhost', port })
  console.log(`listening on ${server.url}`)
  return [server]
})
