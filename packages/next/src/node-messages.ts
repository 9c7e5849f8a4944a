import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** Converts the headers of a request of Node. */
export function toHeaders(source: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(source)) {
    for (const item of [value].flat()) headers.append(name, item)
  }
  return headers
}

/** Adds headers to a response of Node, and keeps the cookies that the application has set. */
export function appendHeaders(
  res: Pick<ServerResponse, 'appendHeader' | 'setHeader'>,
  headers: Headers,
): void {
  for (const [name, value] of headers) {
    if (name === 'set-cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
}
