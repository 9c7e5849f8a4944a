import type { GetServerSideProps } from 'next'
import { getServerSession } from 'next-auth'
import { authOptions } from '../lib/auth'

export const getServerSideProps: GetServerSideProps = async ({ req, res }) => {
  const session = await getServerSession(req, res, authOptions)
  return { props: { owner: session?.user.id ?? null } }
}

export default function Page({ owner }: { readonly owner: string | null }) {
  return <p>{`Report of ${owner}`}</p>
}
