'use client'

import { signIn, signOut, useSession } from 'next-auth/react'

export function Account() {
  const { data: session, status } = useSession()
  if (status === 'loading') return <p>Loading</p>
  if (!session) return <button onClick={() => void signIn('github')}>Sign in</button>
  const { id, name, role } = session.user
  return (
    <>
      <p id="account">{`${id} ${name} ${role}`}</p>
      <button onClick={() => void signOut()}>Sign out</button>
    </>
  )
}
