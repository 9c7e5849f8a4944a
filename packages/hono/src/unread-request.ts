import type { Context } from 'hono'

/** Returns the request, with the body that Hono keeps if a validator or another middleware has read it. */
export async function getUnreadRequest({ req }: Context): Promise<Request> {
  const isKept = Object.keys(req.bodyCache).length > 0
  if (!req.raw.bodyUsed || !isKept) return req.raw
  const { method, headers, url } = req.raw
  return new Request(url, { method, headers, body: await readKeptBody(req) })
}

async function readKeptBody(req: Context['req']): Promise<BodyInit> {
  // Hono would write a form as multipart/form-data, which is not what the header says.
  if (req.bodyCache.formData === undefined) return req.arrayBuffer()
  const fields = [...(await req.formData())]
  return new URLSearchParams(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  )
}
