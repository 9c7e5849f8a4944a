import type { ReactNode } from 'react'
import { auth } from '../../auth.ts'
import { Greeting } from './greeting.tsx'

/** A page that the proxy shows to signed-in users only, with a server action. */
export default async function Account(): Promise<ReactNode> {
  const session = await auth()
  return (
    <main>
      <h1>{session?.user.name}</h1>
      <Greeting greet={greet} />
    </main>
  )
}

async function greet(): Promise<string> {
  'use server'
  const session = await auth()
  return session ? `The action greets ${session.user.name}` : 'The action has no session'
}
