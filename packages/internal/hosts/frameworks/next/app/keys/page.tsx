import type { ReactNode } from 'react'
import { requireRecent } from '../../auth.ts'

/** A page for users who have proven recently who they are. */
export default async function Keys(): Promise<ReactNode> {
  const session = await requireRecent({ callbackUrl: '/keys?of=all', maxAge: 300 })
  return <h1>The keys of {session.user.name}</h1>
}
