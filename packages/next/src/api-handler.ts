import type { NextApiRequest, NextApiResponse } from 'next'
import { replyConfigurationError } from './configuration-error.ts'
import type { NextAuthOptions } from './next-auth-options.ts'
import type { NextService } from './next-service.ts'
import { appendHeaders, toHeaders } from './node-messages.ts'
import { toServiceUrl } from './request-url.ts'

/** The request of an API route. */
export type ApiRequest = NextApiRequest

/** The response of an API route. */
export type ApiResponse = NextApiResponse

/** An API route of the Pages Router. It rejects only if the response cannot be written. */
export type ApiHandler = (req: ApiRequest, res: ApiResponse) => Promise<void>

/** Creates the API route, which works with the body parser of Next.js and without it. */
export function createApiHandler(
  getService: () => Promise<NextService<unknown>>,
  { clientIp }: NextAuthOptions,
): ApiHandler {
  return async (req, res) => {
    const headers = toHeaders(req.headers)
    const method = req.method ?? 'GET'
    const service = await getService().catch(replyConfigurationError({ method, headers }))
    if (service instanceof Response) return sendResponse(res, service)
    const url = toServiceUrl(req.url ?? '/', headers, service)
    const init: RequestInit & { readonly duplex: 'half' } = {
      method,
      headers,
      body: /^(GET|HEAD)$/.test(method) ? null : toBody(req),
      duplex: 'half',
    }
    const request = new Request(url, init)
    const options = { clientIp: () => clientIp?.(headers) }
    const response = service.programs?.(request, options) ?? service.handle(request, options)
    await sendResponse(res, await response)
  }
}

/**
 * Returns the body as it was sent, or again in the type that it was sent in, if the body parser has
 * read it.
 */
function toBody(req: ApiRequest): BodyInit {
  const body: unknown = req.body
  if (body === undefined) return toStream(req)
  if (typeof body === 'string') return body
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')
  return isForm ? toForm(Object(body)) : JSON.stringify(body)
}

/** A form as the body parser returns it: a field that was sent several times is a list. */
type ParsedForm = Readonly<Record<string, string | readonly string[]>>

function toForm(form: ParsedForm): string {
  const fields = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, item]),
  )
  return new URLSearchParams(fields).toString()
}

/** Reads on demand, so that the service can stop at its limit (I-9). */
function toStream(req: ApiRequest): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = req[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function sendResponse(res: ApiResponse, response: Response): Promise<void> {
  res.statusCode = response.status
  appendHeaders(res, response.headers)
  const body = new Uint8Array(await response.arrayBuffer())
  await new Promise<void>((resolve) => {
    res.end(body.length > 0 ? body : undefined, () => resolve())
  })
}
