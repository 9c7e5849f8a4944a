import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { auth, CsrfToken, signIn, signOut, updateSession } from '../../auth.ts'

/** A page whose forms call server actions, without JavaScript. */
export default async function Actions(): Promise<ReactNode> {
  const session = await auth()
  if (!session) {
    return (
      <main>
        <form action={enter} id="credentials">
          <CsrfToken />
          <input name="username" aria-label="User name" />
          <input name="password" type="password" aria-label="Password" />
          <button>Sign in</button>
        </form>
        <form action={enterByPassport} id="passport">
          <CsrfToken />
          <button>Continue with Passport</button>
        </form>
      </main>
    )
  }
  return (
    <main>
      <h1>{session.user.name}</h1>
      <output>{String(session.note)}</output>
      <form action={annotate} id="annotate">
        <CsrfToken />
        <input name="note" aria-label="Note" />
        <button>Save</button>
      </form>
      <form action={leave} id="leave">
        <CsrfToken />
        <button>Sign out</button>
      </form>
    </main>
  )
}

async function enter(form: FormData): Promise<void> {
  'use server'
  await signIn('credentials', { form, callbackUrl: '/actions' })
}

async function enterByPassport(form: FormData): Promise<void> {
  'use server'
  await signIn('passport', { form, callbackUrl: '/actions', params: { login_hint: 'zoe' } })
}

async function annotate(form: FormData): Promise<void> {
  'use server'
  const reply = await updateSession({ form, data: form.get('note') })
  redirect(reply.ok ? '/actions' : reply.url)
}

async function leave(form: FormData): Promise<void> {
  'use server'
  await signOut({ form, callbackUrl: '/actions' })
}
