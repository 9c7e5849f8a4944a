import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { modelMutants, models } from '../../src/proverif/models.ts'
import { listQueries, readModel, toFaultyModel } from '../../src/proverif/run-proverif.ts'

describe.each(models)('the model %s', (file) => {
  const mutants = modelMutants.filter((mutant) => mutant.file === file)

  test('has the text of each fault once, and the query that it breaks', async () => {
    const model = await readModel(file)
    for (const mutant of mutants) {
      const [broken, ...others] = listQueries(toFaultyModel(model, mutant))
      expect(broken?.name.startsWith(mutant.breaks)).toBe(true)
      expect(others).toEqual([])
    }
    expect(mutants.length).toBeGreaterThan(0)
  })

  test('has a named query for each that ProVerif answers, and one that shows that it is not vacuous', async () => {
    const model = await readModel(file)
    const names = listQueries(model).map(({ name }) => name)
    expect(names).toHaveLength(model.match(/^query /gm)?.length ?? 0)
    expect(names).toContainEqual(expect.stringMatching(/^reachable: /))
    for (const name of names.filter((each) => !each.startsWith('reachable'))) {
      expect(
        mutants.some(({ breaks }) => name.startsWith(breaks)),
        name,
      ).toBe(true)
    }
  })
})

test('a fault whose text or query is not found once is refused', async () => {
  const [mutant] = modelMutants
  if (!mutant) throw new Error('expected a fault')
  const model = await readModel(mutant.file)
  expect(toFaultyModel(model, mutant)).toContain(mutant.replacement)
  expect(() => toFaultyModel(model, { ...mutant, text: 'absent' })).toThrow('found 0 times: absent')
  expect(() => toFaultyModel(model, { ...mutant, breaks: 'secret' })).toThrow('expected one query')
})

test('the command says what is missing if proverif is not in the PATH', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proof-'))
  try {
    const program = resolve(import.meta.dirname, '../../src/proverif/prove.ts')
    const ended = await new Promise((settle) => {
      execFile(process.execPath, [program], { env: { PATH: folder } }, (error, stdout, stderr) => {
        settle({ code: error?.code, stdout, stderr })
      })
    })
    const stderr = expect.stringContaining(
      'proverif is missing: expected ProVerif 2.05 in the PATH',
    )
    expect(ended).toEqual({ code: 1, stdout: '', stderr })
  } finally {
    await rm(folder, { recursive: true })
  }
})
