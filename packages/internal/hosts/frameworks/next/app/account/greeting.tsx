'use client'

import { useActionState } from 'react'
import type { ReactNode } from 'react'

interface Properties {
  readonly greet: () => Promise<string>
}

export function Greeting({ greet }: Properties): ReactNode {
  const [text, action] = useActionState(greet, '')
  return (
    <form action={action}>
      <button>Greet</button>
      <output>{text}</output>
    </form>
  )
}
