/** One of several client processes: it sends the simultaneous requests that its parent asks for. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** Requests that are all the same. */
export interface Job {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly calls: number
}

/** What answered one of them. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** As many connections as a process has to a database in the other races: on a busy machine, workerd resets some of hundreds. */
const agent = new Agent({ maxSockets: 2 })

async function send({ url, headers, body }: Job): Promise<Answer> {
  const sent = request(url, { agent, method: 'POST', headers }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response) }
}

process.on('message', (job: Job) => {
  const answers = Promise.all(Array.from({ length: job.calls }, () => send(job)))
  void answers.then((all) => process.send?.(all))
})
