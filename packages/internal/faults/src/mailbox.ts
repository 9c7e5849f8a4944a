import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@latchkey/test-support/listen'

/** The emails that the processes send. */
export interface Mailbox {
  /** Where they post them. */
  readonly url: string
  /** Returns the newest sign-in link to an email address, and forgets it. */
  readonly takeLink: (address: string) => string | undefined
  readonly stop: () => Promise<void>
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
  const { origin, stop } = await listen((request, response) => void receive(request, response))
  return {
    url: origin,
    takeLink(address) {
      const link = links.get(address)
      links.delete(address)
      return link
    },
    stop,
  }
}
