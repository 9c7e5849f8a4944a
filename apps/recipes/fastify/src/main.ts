import { createApp } from './app.ts'
import { auth } from './auth.ts'

const port = Number(process.env['PORT'] ?? 3000)
await createApp(auth).listen({ port, host: 'localhost' })
console.log(`http://localhost:${port}/account`)
