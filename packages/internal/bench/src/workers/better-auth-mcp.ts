import { jwt } from 'better-auth/plugins/jwt'
import { createBetterAuth } from './create-better-auth.ts'
import type { Worker } from './create-worker.ts'
import { createMcp } from './mcp.ts'

// Without a database its storage is in memory.
const worker: Worker = createBetterAuth([jwt(), createMcp()])

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
