import { join } from 'node:path'
import type { Auth } from '@latchkey/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadModule } from '../src/application/load-module.ts'
import { renderMisconfigurations } from './misconfigurations/page.ts'
import type { Misconfiguration } from './misconfigurations/row.ts'
import { rows } from './misconfigurations/rows.ts'
import { doctorOptions, symptoms } from './misconfigurations/symptoms.ts'
import { createWorld } from './misconfigurations/world.ts'
import type { Project, World } from './misconfigurations/world.ts'
import { diagnose } from './support/diagnose.ts'

let world: World
beforeAll(async () => void (world = await createWorld()))
afterAll(() => world.close())

/** Imports the module of an application, as a start does. */
async function start({ folder, env }: Project): Promise<{ auth: Auth; logged: string[] }> {
  const original = process.env
  process.env = { ...env, JITI_FS_CACHE: 'true' }
  try {
    return (await loadModule(folder, 'src/auth.ts', env)) as { auth: Auth; logged: string[] }
  } finally {
    process.env = original
  }
}

test('an application without a mistake starts, signs in, and nothing is broken or weak', async () => {
  const project = world.write({})
  const { code, problems } = await diagnose(project.folder, project.env, {})
  expect(problems).toEqual([])
  expect(code).toBe(0)
  const { auth, logged } = await start(project)
  const signIn = symptoms['A wrong client secret']
  expect(await signIn?.({ auth, logged, world })).toBe('302 http://localhost:3000')
})

const getText = async (row: Misconfiguration, project: Project): Promise<string> => {
  if (row.shown === 'start') {
    return start(project).then(
      () => 'it starts',
      (thrown: unknown) => String(thrown),
    )
  }
  const symptom = symptoms[row.title as keyof typeof symptoms]
  return symptom ? symptom({ ...(await start(project)), world }) : 'no request is defined'
}

describe.each(rows.map((row) => [row.title, row as Misconfiguration] as const))(
  '%s',
  (title, row) => {
    test('is named by the application', async () => {
      const text = await getText(row, world.write(row))
      for (const part of row.message) expect(text).toContain(part)
      expect(text).not.toContain('hunter2')
    })

    test('is named by latchkey doctor, or the manual says why not', async () => {
      const { folder, env } = world.write(row)
      const { skew = 0, ...options } = (await doctorOptions[title]?.(world)) ?? {}
      world.skew = skew
      const { findings } = await diagnose(folder, env, options).finally(() => (world.skew = 0))
      expect(JSON.stringify(findings)).not.toContain('hunter2')
      const unexplained = findings.filter(({ level, fix }) => level !== 'ok' && fix === undefined)
      expect(unexplained).toEqual([])
      if (typeof row.doctor === 'string') {
        expect(findings.filter(({ level }) => level === 'broken')).toEqual([])
        return
      }
      const { level, subject, text } = row.doctor
      expect(findings).toContainEqual(
        expect.objectContaining({ level, subject, text: expect.stringContaining(text) }),
      )
    })
  },
)

test('the manual has all of them', async () => {
  const page = join(import.meta.dirname, '../../../apps/docs/pages/guide/misconfigurations.md')
  await expect(renderMisconfigurations(rows)).toMatchFileSnapshot(page)
})
