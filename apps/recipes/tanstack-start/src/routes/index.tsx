import { createFileRoute } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getUser } from '../session.ts'

export const Route = createFileRoute('/')({
  loader: () => getUser(),
  component: Home,
})

function Home(): ReactNode {
  const user = Route.useLoaderData()
  return <p>{user ? `Hello, ${user.name}` : 'Hello, stranger'}</p>
}
