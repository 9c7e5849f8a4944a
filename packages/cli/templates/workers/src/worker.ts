import { getAuth } from './auth.ts'
import type { Env } from './auth.ts'

export default { fetch: answer }

/** The part of a Worker's execution context that is used here. */
interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void
}

async function answer(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
  const auth = getAuth(env)
  if (new URL(request.url).pathname.startsWith(`${auth.basePath}/`)) {
    return auth.handle(request, {
      waitUntil: (promise) => context.waitUntil(promise),
      clientIp: () => request.headers.get('cf-connecting-ip') ?? undefined,
    })
  }
  const { session, headers } = await auth.getSession(request)
  headers.set('content-type', 'text/html; charset=utf-8')
  const page = session
    ? `<p>Hello, ${escape(session.user.name ?? session.user.email ?? '')}.</p>
       <p><a href="${auth.basePath}/signout">Sign out</a></p>`
    : `<p><a href="${auth.basePath}/signin">Sign in</a></p>`
  return new Response(`<!doctype html><title>My app</title>${page}`, { headers })
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
