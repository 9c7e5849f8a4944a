import type { ReactNode } from 'react'
import { auth } from '../auth.ts'

export default async function Page(): Promise<ReactNode> {
  const session = await auth()
  return <p>{session ? `Hello, ${session.user.name}` : 'Hello, stranger'}</p>
}
