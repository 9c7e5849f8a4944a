import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { auth } from '../auth.ts'

/** Who is signed in. A page has no request, but its headers are all that is needed of one. */
export default async function Page(): Promise<ReactNode> {
  const address = process.env['SERVICE_URL'] ?? 'http://localhost:3000'
  const { session } = await auth.getSession(new Request(address, { headers: await headers() }))
  return <p>{session ? `Hello, ${session.user.name}` : 'Hello, stranger'}</p>
}
