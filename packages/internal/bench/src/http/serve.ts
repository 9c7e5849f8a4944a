/** A separate process: serves one contender over HTTP, until its parent disconnects. */
import { createListener, listen } from '@latchkey/node'
import type { Answer, Task } from '../contenders/contender.ts'
import { cookieContenders } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { installIdentityProvider } from '../contenders/identity-provider.ts'
import type { Served, ServedRequest } from './served.ts'
import { servedWorks } from './served.ts'

installIdentityProvider()
let answer: Answer = async () => new Response(null, { status: 503 })
const server = await listen(
  createListener((request) => answer(request)),
  { host: '127.0.0.1', port: 0 },
)
const contender = await cookieContenders[process.argv[2] as ContenderName](server.url)
answer = contender.answer

const requests: Served['requests'] = Object.fromEntries(
  await Promise.all(
    servedWorks.flatMap((id) => {
      const task = contender.tasks[id]
      return task?.request ? [describeRequest(task, task.request).then((each) => [id, each])] : []
    }),
  ),
)
process.on('disconnect', () => process.exit())
process.send?.({ url: server.url, requests } satisfies Served)

/** Describes the request of a task, and the status of its answer once that is checked. */
async function describeRequest(task: Task, create: () => Request): Promise<ServedRequest> {
  const response = await task.run()
  const { status } = response
  await task.check(response)
  const request = create()
  return {
    path: new URL(request.url).pathname,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: await request.text(),
    status,
  }
}
