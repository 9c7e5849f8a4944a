import { authorizationServer } from '@latchkey/authorization-server'
import { createWorker } from './create-worker.ts'
import type { Worker } from './create-worker.ts'
import { resources } from './resources.ts'

const worker: Worker = createWorker(authorizationServer({ resources }))

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
