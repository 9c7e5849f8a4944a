import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { auth } from '../auth.ts'

/**
 * Shows the signed-in user. A page has no request, but the session needs only its headers. It cannot
 * set cookies, so it renews nothing.
 */
export default async function Page(): Promise<ReactNode> {
  const url = process.env['SERVICE_URL'] ?? 'http://localhost:3000'
  const request = new Request(url, { headers: await headers() })
  const { session } = await auth.getSession(request, { renew: false })
  return <p>{session ? `Hello, ${session.user.name}` : 'Hello, stranger'}</p>
}
