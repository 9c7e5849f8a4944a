import type { ReactNode } from 'react'
import { auth, CsrfToken } from '../../auth.ts'

/** A page whose forms post to the routes of the service, without JavaScript. */
export default async function Forms(): Promise<ReactNode> {
  const session = await auth()
  if (session) {
    return (
      <form method="post" action="/api/auth/signout">
        <CsrfToken />
        <input type="hidden" name="callbackUrl" value="/forms" />
        <p>{session.user.name}</p>
        <button>Sign out</button>
      </form>
    )
  }
  return (
    <form method="post" action="/api/auth/signin/credentials">
      <CsrfToken />
      <input type="hidden" name="callbackUrl" value="/forms" />
      <input name="username" aria-label="User name" />
      <input name="password" type="password" aria-label="Password" />
      <button>Sign in</button>
    </form>
  )
}
