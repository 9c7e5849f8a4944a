import { getServerSession } from 'next-auth'
import { authOptions } from '../../lib/auth'

export default async function Page() {
  const session = await getServerSession(authOptions)
  return <p>{`Member ${session?.user.id}: ${session?.user.name}, ${session?.user.role}`}</p>
}
