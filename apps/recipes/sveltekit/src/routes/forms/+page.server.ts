import { getCsrfToken, signIn, signOut } from '@latchkey/core/forms'
import { redirect } from '@sveltejs/kit'
import type { RequestEvent, ServerLoadEvent } from '@sveltejs/kit'
import { auth } from '../../auth.ts'

export const load = async ({ request, locals }: ServerLoadEvent) => {
  const { csrfToken, headers } = await getCsrfToken(auth, request)
  for (const [name, value] of headers) locals.headers.append(name, value)
  return { csrfToken, name: locals.session?.user.name }
}

export const actions = {
  async signIn({ request, locals }: RequestEvent) {
    const reply = await signIn(auth, request, 'passport', { callbackUrl: '/forms' })
    locals.headers = reply.headers
    redirect(303, reply.url)
  },
  async signOut({ request, locals }: RequestEvent) {
    const reply = await signOut(auth, request, { callbackUrl: '/forms' })
    locals.headers = reply.headers
    redirect(303, reply.url)
  },
}
