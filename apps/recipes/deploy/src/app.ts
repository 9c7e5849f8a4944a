import type { HandleOptions } from '@latchkey/core'
import { auth } from './auth.ts'

export async function app(request: Request, options: HandleOptions): Promise<Response> {
  const program = auth.programs?.(request, options)
  if (program) return program
  const { pathname } = new URL(request.url)
  if (pathname === auth.basePath || pathname.startsWith(`${auth.basePath}/`)) {
    return auth.handle(request, options)
  }
  const { session, headers } = await auth.getSession(request)
  if (session) return new Response(`Hello, ${session.user.name}`, { headers })
  headers.set('location', `${auth.basePath}/signin`)
  return new Response(null, { status: 302, headers })
}
