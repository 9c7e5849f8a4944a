import { auth } from '../auth'

export default async function Page() {
  const session = await auth()
  if (!session) {
    return (
      <>
        <h1>my-app</h1>
        <p>You are not signed in.</p>
        <nav>
          <a className="button" href="/api/auth/signin">
            Sign in
          </a>
        </nav>
      </>
    )
  }
  return (
    <>
      <h1>Hello, {session.user.name ?? session.user.email}</h1>
      <nav>
        <a className="button" href="/account">
          Your account
        </a>
        <a href="/api/auth/signout">Sign out</a>
      </nav>
    </>
  )
}
