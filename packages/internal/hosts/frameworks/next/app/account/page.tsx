import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { auth, requireRecent } from '../../auth.ts'
import { Greeting } from './greeting.tsx'

/** A page that the proxy shows to signed-in users only, with a server action. */
export default async function Account(): Promise<ReactNode> {
  const session = await auth()
  return (
    <main>
      <h1>{session?.user.name}</h1>
      <Greeting greet={greet} />
      <form action={showKeys}>
        <button>Show my keys</button>
      </form>
    </main>
  )
}

async function greet(): Promise<string> {
  'use server'
  const session = await auth()
  return session ? `The action greets ${session.user.name}` : 'The action has no session'
}

async function showKeys(): Promise<void> {
  'use server'
  await requireRecent({ callbackUrl: '/keys', maxAge: 300 })
  redirect('/keys')
}
