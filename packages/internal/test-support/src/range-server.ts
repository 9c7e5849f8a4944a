import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** A server that answers as the range API of Have I Been Pwned. */
export interface RangeServer extends AsyncDisposable {
  /** Sends a request to the server instead of the API. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The requests that arrived. */
  readonly requests: IncomingMessage[]
  /** Replaces the answers. */
  readonly answerWith: (answer: Answer) => void
}

// A test may replace the global one by this server's.
const send = fetch

type Answer = (prefix: string, response: ServerResponse) => void

/** Returns the SHA-1 of a password in hexadecimal, in capital letters. */
export function toSha1(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase()
}

/** Returns the rows of a range, with the padding that the API adds. */
export function createRows(prefix: string, passwords: readonly string[]): string[] {
  const found = passwords.map(toSha1).filter((hash) => hash.startsWith(prefix))
  const padding = Array.from({ length: 20 }, (_, i) => `${toSha1(`padding ${i}`).slice(5)}:0`)
  return [...found.map((hash) => `${hash.slice(5)}:42`), ...padding].toSorted()
}

/** Starts a server that knows some passwords. */
export async function startRangeServer(passwords: readonly string[]): Promise<RangeServer> {
  let answer: Answer = (prefix, response) =>
    response.end(createRows(prefix, passwords).join('\r\n'))
  const requests: IncomingMessage[] = []
  const { origin, stop } = await listen((request, response) => {
    requests.push(request)
    answer((request.url ?? '').slice('/range/'.length), response)
  })
  return {
    fetch: (url, init) => send(url.replace('https://api.pwnedpasswords.com', origin), init),
    requests,
    answerWith: (next) => (answer = next),
    [Symbol.asyncDispose]: stop,
  }
}
