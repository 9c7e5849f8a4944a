'use client'

import { signIn, signOut, useSession } from '../auth-client'

export function Profile() {
  const { data: session, status } = useSession()
  if (status === 'loading') return <p>Loading…</p>
  if (!session) {
    return (
      <>
        <h1>my-app</h1>
        <p>You are not signed in.</p>
        <nav>
          <button className="button" onClick={() => void signIn()}>
            Sign in
          </button>
        </nav>
      </>
    )
  }
  return (
    <>
      <h1>Hello, {session.user.name ?? session.user.email}</h1>
      <nav>
        <button className="button" onClick={() => void signOut()}>
          Sign out
        </button>
        <a href="/">Back</a>
      </nav>
    </>
  )
}
