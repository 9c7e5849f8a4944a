import { SessionProvider, signIn, signOut, useSession } from '@latchkey/client/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

function Greeting() {
  const { data: session, status } = useSession()
  if (status === 'loading') return <h1>One moment</h1>
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
if (!root) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <SessionProvider>
      <Greeting />
      <p className="muted">The same imports as from next-auth/react, of @latchkey/client/react.</p>
      <a className="button" href="/">
        Back
      </a>
    </SessionProvider>
  </StrictMode>,
)
