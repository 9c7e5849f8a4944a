import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'

const port = Number(process.env['PORT'] ?? 3000)

export const auth = createAuth(contractConfig({ serviceUrl: `http://localhost:${port}` }))
