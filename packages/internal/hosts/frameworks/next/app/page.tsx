import Link from 'next/link'
import type { ReactNode } from 'react'
import { auth } from '../auth.ts'

export default async function Page(): Promise<ReactNode> {
  const session = await auth()
  return (
    <main>
      <p>{session ? `Hello, ${session.user.name}` : 'Hello, stranger'}</p>
      <Link href="/account">Account</Link>
      <Link href="/pages-account">Account in the Pages Router</Link>
    </main>
  )
}
