import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { auth } from '../auth.ts'

/** Shows the signed-in user. A page has no request, but the session needs only its headers. */
export default async function Page(): Promise<ReactNode> {
  const url = process.env['SERVICE_URL'] ?? 'http://localhost:3000'
  const { session } = await auth.getSession(new Request(url, { headers: await headers() }))
  return <p>{session ? `Hello, ${session.user.name}` : 'Hello, stranger'}</p>
}
