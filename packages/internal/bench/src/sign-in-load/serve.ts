/** A separate process: serves users who sign in by a password, until its parent disconnects. */
import { createListener, listen } from '@latchkey/node'
import type { Answer } from '../contenders/contender.ts'
import { createLoadedService } from './create-users.ts'
import type { LoadedName, ServedUsers } from './served-users.ts'

const [name, users] = process.argv.slice(2) as [LoadedName, string]
let answer: Answer = async () => new Response(null, { status: 503 })
const server = await listen(
  createListener((request) => answer(request)),
  { host: '127.0.0.1', port: 0 },
)
const { answer: handle, ...requests } = await createLoadedService[name](server.url, Number(users))
answer = handle
process.on('disconnect', () => process.exit())
process.send?.({ url: server.url, ...requests } satisfies ServedUsers)
