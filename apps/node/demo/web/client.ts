import { createClient } from '@latchkey/client'

const client = createClient()

function element(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no ${id}`)
  return found
}

function show(): void {
  const { status, session, error } = client.getSnapshot()
  const name = session?.user.name ?? session?.user.email ?? 'you'
  const greetings = {
    loading: error ? 'The service cannot be reached' : 'One moment',
    authenticated: `Hello, ${name}`,
    unauthenticated: 'Hello, stranger',
  }
  element('greeting').textContent = greetings[status]
  element('sign-in').hidden = status !== 'unauthenticated'
  element('sign-out').hidden = status !== 'authenticated'
}

element('sign-in').addEventListener('click', () => void client.signIn())
element('sign-out').addEventListener('click', () => void client.signOut({ redirect: false }))
client.subscribe(show)
