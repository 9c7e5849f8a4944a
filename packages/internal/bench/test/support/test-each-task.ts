import { describe, test } from 'vitest'
import type { Contender } from '../../src/contenders/contender.ts'
import { checkOnce } from '../../src/rates.ts'
import { works } from '../../src/work.ts'

/** Runs each piece of work that each contender can do, and checks its answer. */
export function testEachTask(factories: Readonly<Record<string, () => Promise<Contender>>>): void {
  for (const [name, create] of Object.entries(factories)) {
    describe(name, async () => {
      const { tasks } = await create()
      const own = works.flatMap(({ id, name: title }) => {
        const task = tasks[id]
        return task ? [{ title, task }] : []
      })
      test.each(own)('does $title', ({ task }) => checkOnce(task))
    })
  }
}
