import { createListener, listen, run } from '@latchkey/node'
import { app } from './app.ts'

const { HOST: host = 'localhost', PORT: port = '3000' } = process.env
// Behind a reverse proxy: the header in which it sends the client's IP address, such as X-Forwarded-For.
const clientIpHeader = process.env.AUTH_CLIENT_IP_HEADER

// SIGTERM and SIGINT stop the server after its open requests.
await run(async () => {
  const listener = createListener(
    (request, { clientIp }, bindings) => app.fetch(request, { ...bindings, clientIp }),
    { clientIpHeader },
  )
  const server = await listen(listener, { host, port: Number(port) })
  console.log(`Listening on ${server.url}`)
  return [server]
})
