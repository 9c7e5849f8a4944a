import { createReactClient } from '@latchkey/client/react'
import type { auth } from '../src/auth.ts'

export const { SessionProvider, useSession, signIn, signOut } = createReactClient<typeof auth>()
