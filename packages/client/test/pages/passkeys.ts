import { createClient } from '@latchkey/client'
import * as passkeys from '@latchkey/client/passkeys'
import { getTestPage } from './test-page.ts'

const client = createClient()
const auth = { ...passkeys, ...passkeys.createPasskeys(client), client }
Object.assign(getTestPage<typeof auth>(), { auth })
