import { createClient } from '@latchkey/client'
import { createFactors } from '@latchkey/client/factors'
import { getTestPage } from './test-page.ts'

const factors = createFactors(createClient())
Object.assign(getTestPage<typeof factors>(), { auth: factors })
