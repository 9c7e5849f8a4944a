import { serve } from '@hono/node-server'
import { app } from './app.ts'

const port = Number(process.env['PORT'] ?? 3000)
const hostname = process.env['HOST'] ?? 'localhost'

const server = serve({ fetch: app.fetch, port, hostname, overrideGlobalObjects: false }, () =>
  console.log(`Listening on http://${hostname}:${port}`),
)
process.on('SIGTERM', () => server.close())
