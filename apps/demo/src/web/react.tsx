import { SessionProvider, signIn, signOut, useSession } from '@latchkey/client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

function Greeting() {
  const { data: session, status } = useSession()
  if (status === 'loading') return <h1>Loading …</h1>
  if (!session) {
    return (
      <>
        <h1>Hello, stranger</h1>
        <button className="primary" onClick={() => void signIn('demo')}>
          Sign in with the demo provider
        </button>
      </>
    )
  }
  return (
    <>
      <h1>Hello, {session.user.name ?? session.user.email}</h1>
      <button onClick={() => void signOut({ redirect: false })}>Sign out</button>
    </>
  )
}

const root = document.getElementById('root')
if (!root) throw new Error('expected an element with the id root, found none')
createRoot(root).render(
  <StrictMode>
    <SessionProvider>
      <Greeting />
      <p className="muted">This page uses @latchkey/client/react in place of next-auth/react.</p>
      <a className="button" href="/">
        Back
      </a>
    </SessionProvider>
  </StrictMode>,
)
