/** A separate process: serves what its arguments name, until its parent disconnects. */
import { createListener, listen } from '@latchkey/node'
import type { Answer, Task } from './contenders/contender.ts'
import { cookieContenders } from './contenders/contenders.ts'
import type { ContenderName } from './contenders/contenders.ts'
import { installIdentityProvider } from './contenders/identity-provider.ts'
import { servedWorks, toServed } from './served.ts'
import type { ServedRequest } from './served.ts'

const [kind, argument = ''] = process.argv.slice(2)
let answer: Answer = async () => new Response(null, { status: 503 })
const { url } = await listen(
  createListener((request) => answer(request)),
  { host: '127.0.0.1', port: 0 },
)
const { answer: handle, ...served } = await create()
answer = handle
process.on('disconnect', () => process.exit())
process.send?.({ url, ...served })

async function create(): Promise<{ readonly answer: Answer }> {
  if (kind === 'contender') return createContender(argument as ContenderName)
  const { createUsers } = await import('./sign-in-load/create-users.ts')
  return createUsers(url, Number(argument))
}

async function createContender(
  contender: ContenderName,
): Promise<{ readonly answer: Answer; readonly requests: object }> {
  installIdentityProvider()
  const tasks = await cookieContenders[contender](url)
  const requests = await Promise.all(
    servedWorks.flatMap((id) => {
      const task = tasks[id]
      return task?.request ? [describeRequest(task, task.request()).then((each) => [id, each])] : []
    }),
  )
  return { answer: tasks.session?.answer ?? answer, requests: Object.fromEntries(requests) }
}

/** Describes a request, and the status of its answer once that is checked. */
async function describeRequest(task: Task, request: Request): Promise<ServedRequest> {
  const response = await task.run()
  const { status } = response
  await task.check(response)
  return toServed(request, status)
}
