import { signOut } from '../../../auth.ts'

/** Calls what only a server action may call: with another method it must be refused. */
async function act(request: Request): Promise<Response> {
  const form = new FormData()
  form.append('csrfToken', new URL(request.url).searchParams.get('csrfToken') ?? '')
  return Response.json(await signOut({ form, redirect: false }))
}

export { act as GET, act as POST }
