import { getServerSession } from '@latchkey/next'
import type { GetServerSideProps } from 'next'
import type { ReactNode } from 'react'
import { latchkey } from '../auth.ts'

interface Properties {
  readonly name: string | null
}

export const getServerSideProps: GetServerSideProps<Properties> = async ({ req, res }) => {
  const session = await getServerSession(req, res, latchkey)
  return { props: { name: session?.user.name ?? null } }
}

export default function PagesAccount({ name }: Properties): ReactNode {
  return <p>{name === null ? 'Hello, stranger' : `Hello, ${name}`}</p>
}
