import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The emails that the processes send. */
export interface Mailbox {
  /** Where they post them. */
  readonly url: string
  /** Returns the newest sign-in link to an email address, and forgets it. */
  readonly takeLink: (address: string) => string | undefined
  readonly stop: () => void
}

export async function startMailbox(): Promise<Mailbox> {
  const links = new Map<string, string>()
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const [address = ''] = body.split('\n')
    const [link] = /https?:\/\/\S+\/callback\/\S+/.exec(body) ?? []
    if (link !== undefined) links.set(address, link)
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    takeLink(address) {
      const link = links.get(address)
      links.delete(address)
      return link
    },
    stop: () => void server.close(),
  }
}
