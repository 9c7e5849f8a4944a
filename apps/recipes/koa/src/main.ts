import { createApp } from './app.ts'
import { auth } from './auth.ts'

const port = Number(process.env['PORT'] ?? 3000)
createApp(auth).listen(port, 'localhost', () => console.log(`http://localhost:${port}/account`))
