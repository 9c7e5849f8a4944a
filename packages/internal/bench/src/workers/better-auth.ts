import { createBetterAuth } from './create-better-auth.ts'
import type { Worker } from './create-worker.ts'

const worker: Worker = createBetterAuth()

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
