import type { NextService } from './next-service.ts'
import { toOrigin } from './request-url.ts'

/** Returns the `Set-Cookie` lines of `GET /csrf`: none if the cookie is valid, or the storage fails. */
export async function issueCsrfCookie(
  headers: Headers,
  { origin = toOrigin(headers), basePath, handle }: NextService<unknown>,
): Promise<string[]> {
  const response = await handle(new Request(`${origin}${basePath}/csrf`, { headers }))
  return response.headers.getSetCookie()
}
