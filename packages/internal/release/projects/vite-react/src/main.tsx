import { SessionProvider, signIn, signOut, useSession } from '@latchkey/client/react'
import { createRoot } from 'react-dom/client'

function Account() {
  const { data: session } = useSession()
  if (!session) return <button onClick={() => signIn('email')}>Sign in</button>
  return <button onClick={() => signOut()}>Sign out {session.user?.email}</button>
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <SessionProvider>
      <Account />
    </SessionProvider>,
  )
}
