import { auth } from '../auth'

export default async function Page() {
  const session = await auth()
  if (!session) return <a href="/api/auth/signin">Sign in</a>
  return (
    <>
      <p>Hello, {session.user.name ?? session.user.email}.</p>
      <a href="/api/auth/signout">Sign out</a>
    </>
  )
}
