'use client'

import { SessionProvider, signOut, useSession } from '@latchkey/client/react'
import type { ReactNode } from 'react'

export default function Page(): ReactNode {
  return (
    <SessionProvider>
      <Status />
    </SessionProvider>
  )
}

function Status(): ReactNode {
  const { status } = useSession()
  return (
    <main>
      <output>{status}</output>
      <button onClick={() => void signOut({ redirect: false })}>Sign out</button>
    </main>
  )
}
