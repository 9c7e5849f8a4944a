import { parseArgs } from 'node:util'
import { contenderNames, cookieContenders, storedContenders } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { Task } from '../contenders/contender.ts'
import { installIdentityProvider } from '../contenders/identity-provider.ts'
import { formatTable } from '../output/table.ts'
import { works } from '../work.ts'
import { profileTask } from './profile-task.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contender: { type: 'string', default: 'latchkey' },
    runs: { type: 'string', default: '2000' },
  },
})
const ROWS = 40

installIdentityProvider()
const task = await findTask(values.contender, positionals[0])
const { cpuPerRun, functions } = await profileTask(task, Number(values.runs))
console.log(`${positionals[0]}, ${values.contender}: ${cpuPerRun.toFixed(0)} us of CPU per run\n`)
const rows = functions.slice(0, ROWS).map(({ name, share }) => [name, (share * 100).toFixed(1)])
console.log(formatTable([['function, without what it calls', '%'], ...rows]))

async function findTask(contender: string, work: string | undefined): Promise<Task> {
  const name = contenderNames.find((each) => each === contender)
  if (name === undefined) {
    throw new Error(`--contender must be one of ${contenderNames.join(', ')}, got ${contender}`)
  }
  for (const factories of [cookieContenders, storedContenders]) {
    const create = (factories as Partial<Record<ContenderName, typeof cookieContenders.floor>>)[
      name
    ]
    const found = Object.entries((await create?.())?.tasks ?? {}).find(([id]) => id === work)?.[1]
    if (found) return found
  }
  const ids = works.map(({ id }) => id).join(', ')
  throw new Error(`expected the id of work that ${contender} can do, of ${ids}, got ${work}`)
}
