import { createWorker } from './create-worker.ts'
import type { Worker } from './create-worker.ts'

const worker: Worker = createWorker()

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
