import { createClient } from '@latchkey/client'

const client = createClient()

function getElement(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`expected an element with the id ${id}, found none`)
  return found
}

function render(): void {
  const { status, session, error } = client.getSnapshot()
  const name = session?.user.name ?? session?.user.email ?? 'you'
  const greetings = {
    loading: error ? 'We could not reach the service. Trying again …' : 'Loading …',
    authenticated: `Hello, ${name}`,
    unauthenticated: 'Hello, stranger',
  }
  getElement('greeting').textContent = greetings[status]
  getElement('sign-in').hidden = status !== 'unauthenticated'
  getElement('sign-out').hidden = status !== 'authenticated'
}

getElement('sign-in').addEventListener('click', () => void client.signIn())
getElement('sign-out').addEventListener('click', () => void client.signOut({ redirect: false }))
client.subscribe(render)
