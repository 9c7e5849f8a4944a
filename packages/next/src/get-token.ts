import type { SessionToken } from '@latchkey/core'
import type { NextAuth } from './create-next-auth.ts'
import { getRequest } from './get-request.ts'
import type { PageRequest } from './get-server-session.ts'
import { toHeaders } from './node-messages.ts'
import { toOrigin } from './request-url.ts'

/**
 * Returns what the session of the current request carries, as `callbacks.jwt` returned it: in a server
 * component, a route handler or a server action. Null if there is no session. No client sees it,
 * and nothing is renewed.
 *
 * @example
 *   import { createNextAuth, getToken } from '@latchkey/next'
 *   import type { AuthConfig } from '@latchkey/core'
 *
 *   declare const config: AuthConfig
 *   export const authOptions = createNextAuth(() => config)
 *   const token = await getToken(authOptions)
 *
 * @throws AuthError `Unavailable` if the storage fails, `Configuration` if the origin of the request is
 *   untrusted, `Callback` if `callbacks.jwt` throws for a session that is not imported yet
 */
export async function getToken<Token extends SessionToken>(
  next: NextAuth<unknown, Token>,
): Promise<Token | null>
/**
 * Returns what the session of a request carries: in an API route, `getServerSideProps`, a route handler
 * or a proxy. Null if there is no session.
 *
 * @example
 *   import { getToken } from '@latchkey/next'
 *   import type { NextAuth } from '@latchkey/next'
 *   import type { NextApiHandler } from 'next'
 *
 *   declare const authOptions: NextAuth
 *   const handler: NextApiHandler = async (req, res) => {
 *     const token = await getToken(req, authOptions)
 *     res.json({ id: token?.sub })
 *   }
 */
export async function getToken<Token extends SessionToken>(
  req: Pick<Request, 'headers'> | Pick<PageRequest, 'headers'>,
  next: NextAuth<unknown, Token>,
): Promise<Token | null>
export async function getToken<Token extends SessionToken>(
  ...args:
    | [NextAuth<unknown, Token>]
    | [Pick<Request, 'headers'> | Pick<PageRequest, 'headers'>, NextAuth<unknown, Token>]
): Promise<Token | null> {
  if (args.length === 1) {
    // First, so that Next.js renders the page at a request and not in its build.
    const request = await getRequest()
    return (await args[0].service()).getToken(request)
  }
  const [req, next] = args
  const headers = req.headers instanceof Headers ? req.headers : toHeaders(req.headers)
  const request = new Request(toOrigin(headers), { headers })
  return (await next.service()).getToken(request)
}
