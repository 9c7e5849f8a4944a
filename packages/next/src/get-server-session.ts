import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionToken } from '@latchkey/core'
import type { NextAuth } from './create-next-auth.ts'
import { appendHeaders, toHeaders } from './node-messages.ts'
import { toOrigin } from './request-url.ts'

/** The request of `getServerSideProps` or an API route. */
export type PageRequest = Pick<IncomingMessage, 'headers' | 'method'>

/** The response of `getServerSideProps` or an API route. */
export type PageResponse = Pick<ServerResponse, 'appendHeader' | 'headersSent' | 'setHeader'>

/**
 * Returns the session in a server component, a route handler or a server action, as `auth()` does;
 * null if there is none. With the arguments of next-auth's function of this name.
 *
 * @example
 *   import { createNextAuth, getServerSession } from '@latchkey/next'
 *   import type { AuthConfig } from '@latchkey/core'
 *
 *   declare const config: AuthConfig
 *   export const authOptions = createNextAuth(() => config)
 *   const session = await getServerSession(authOptions)
 *
 * @throws AuthError `Unavailable` if the storage fails, `Configuration` if the origin of the request is
 *   untrusted, `Callback` if a callback throws
 */
export async function getServerSession<Session>(
  next: NextAuth<Session, SessionToken>,
): Promise<Session | null>
/**
 * Returns the session in `getServerSideProps` or an API route; null if there is none. A session that is
 * due is renewed: its cookie is added to the response.
 *
 * @example
 *   import { getServerSession } from '@latchkey/next'
 *   import type { NextAuth } from '@latchkey/next'
 *   import type { GetServerSideProps } from 'next'
 *
 *   declare const authOptions: NextAuth
 *   export const getServerSideProps: GetServerSideProps = async ({ req, res }) => {
 *     const session = await getServerSession(req, res, authOptions)
 *     return { props: { name: session?.user.name ?? null } }
 *   }
 */
export async function getServerSession<Session>(
  req: PageRequest,
  res: PageResponse,
  next: NextAuth<Session, SessionToken>,
): Promise<Session | null>
export async function getServerSession<Session>(
  ...args:
    [NextAuth<Session, SessionToken>] | [PageRequest, PageResponse, NextAuth<Session, SessionToken>]
): Promise<Session | null> {
  if (args.length === 1) return args[0].auth()
  const [req, res, next] = args
  const headers = toHeaders(req.headers)
  const method = req.method === 'HEAD' ? 'HEAD' : 'GET'
  const request = new Request(toOrigin(headers), { method, headers })
  const service = await next.service()
  const read = await service.getSession(request, { renew: !res.headersSent })
  appendHeaders(res, read.headers)
  return read.session
}
