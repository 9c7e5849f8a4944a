import { auth } from '../../auth'
import { SessionProvider } from '../auth-client'
import { Profile } from './profile'

export const metadata = { title: 'Your profile' }

export default async function Page() {
  // With the session of the server, the first render needs no request.
  return (
    <SessionProvider session={await auth()}>
      <Profile />
    </SessionProvider>
  )
}
