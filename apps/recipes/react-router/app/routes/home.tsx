import type { ReactNode } from 'react'
import { useLoaderData } from 'react-router'
import type { LoaderFunctionArgs } from 'react-router'
import { sessionContext } from '../session.server.ts'

export function loader({ context }: LoaderFunctionArgs) {
  return { name: context.get(sessionContext)?.user.name }
}

export default function Home(): ReactNode {
  const { name } = useLoaderData<typeof loader>()
  return <p>{name === undefined ? 'Hello, stranger' : `Hello, ${name}`}</p>
}
