import { createClient } from '@latchkey/client'
import type { Client } from '@latchkey/client'
import type { TestSession } from '../support/service.ts'
import type { Auth } from '@latchkey/core'
import { getTestPage } from './test-page.ts'

const query = new URLSearchParams(location.search)
const client = createClient<Auth<TestSession>>({
  refetchInterval: Number(query.get('interval') ?? '0'),
  baseUrl: query.get('baseUrl') ?? undefined,
})
const page = getTestPage<Client<TestSession>>()
Object.assign(page, { auth: client, shownTexts: [], errors: [] })

function render(): void {
  const { status, session, error } = client.getSnapshot()
  const text = [status, session?.user.name, session?.note, error].filter(Boolean).join(' ')
  if (page.shownTexts.at(-1) !== text) page.shownTexts.push(text)
  ;(document.getElementById('root') as HTMLElement).textContent = text
}

render()
client.subscribe(render)
