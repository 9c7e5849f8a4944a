/** A separate process: sends many requests simultaneously whenever its parent asks for it. */
import { Agent } from 'node:http'
import { sendTimed } from './send.ts'
import type { CrowdTask } from './send.ts'

process.on('disconnect', () => process.exit())
process.on('message', ({ url, requests }: CrowdTask) => {
  const agent = new Agent()
  const sent = requests.map((request) => sendTimed(url, request, agent))
  void Promise.all(sent).then((results) => process.send?.(results))
})
