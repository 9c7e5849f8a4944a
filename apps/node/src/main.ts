import { run } from '@latchkey/node'
import { readLog } from './environment.ts'
import { createLog } from './log.ts'
import { startService } from './service.ts'

const log = createLog(readLog(process.env))
const starting = startService(process.env, log)

await run(async () => [(await starting).server], {
  log,
  reload: async () => (await starting).reload(),
})
