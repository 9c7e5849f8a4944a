import { Injectable, UnauthorizedException } from '@nestjs/common'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import { auth } from './auth.ts'

export type Session = Awaited<ReturnType<typeof auth.getSession>>['session']

export async function readSession(
  { protocol, host, headers: sent }: ExpressRequest,
  response: ExpressResponse,
): Promise<Session> {
  const request = new Request(`${protocol}://${host}`, { headers: sent as HeadersInit })
  const { session, headers } = await auth.getSession(request)
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
