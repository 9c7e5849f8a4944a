import { redirect } from 'next/navigation'
import { auth } from '../../auth'

export const metadata = { title: 'Your account' }

export default async function Page() {
  const session = await auth()
  if (!session) redirect('/api/auth/signin?callbackUrl=/account')
  return (
    <>
      <h1>Your account</h1>
      <p>{session.user.email}</p>
      <nav>
        <a href="/">Back</a>
      </nav>
    </>
  )
}
