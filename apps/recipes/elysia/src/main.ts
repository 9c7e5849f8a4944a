import { createListener, listen, run } from '@latchkey/node'
import { createApp } from './app.ts'
import { auth } from './auth.ts'

await run(async () => {
  const app = createApp(auth)
  const listener = createListener((request) => app.handle(request))
  const port = Number(process.env['PORT'] ?? 3000)
  const server = await listen(listener, { host: 'localhost', port })
  console.log(`${server.url}/account`)
  return [server]
})
