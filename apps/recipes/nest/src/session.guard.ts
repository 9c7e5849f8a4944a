import { Injectable, UnauthorizedException } from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import { auth } from './auth.ts'

/** The session of a request, null if there is none. */
export type Session = Awaited<ReturnType<typeof auth.getSession>>['session']

/** Reads the session of a request, and adds the cookies that follow to its response. */
export async function readSession(
  request: ExpressRequest,
  response: ExpressResponse,
): Promise<Session> {
  const { session, headers } = await auth.getSession(toRequest(request))
  for (const [name, value] of headers) response.append(name, value)
  return session
}

/** Refuses requests without a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp()
    const session = await readSession(http.getRequest(), http.getResponse())
    if (!session) throw new UnauthorizedException('Sign in first.')
    http.getRequest().session = session
    return true
  }
}

function toRequest({ headersDistinct, host, protocol }: ExpressRequest): Request {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Request(`${protocol}://${host}`, { headers })
}
