import { createClient } from '@latchkey/client'
import type { Client } from '@latchkey/client'
import type { TestSession } from '../support/service.ts'
import type { Auth } from '@latchkey/core'
import { testPage } from './test-page.ts'

const interval = Number(new URLSearchParams(location.search).get('interval') ?? '0')
const client = createClient<Auth<TestSession>>({ refetchInterval: interval })
const page = testPage<Client<TestSession>>()
Object.assign(page, { auth: client, seen: [], errors: [] })

function show(): void {
  const { status, session, error } = client.getSnapshot()
  const text = [status, session?.user.name, session?.note, error].filter(Boolean).join(' ')
  if (page.seen.at(-1) !== text) page.seen.push(text)
  ;(document.getElementById('root') as HTMLElement).textContent = text
}

show()
client.subscribe(show)
