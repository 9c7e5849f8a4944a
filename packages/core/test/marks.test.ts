import { readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createMarks } from '@latchkey/core/pages/marks'
import { describe, expect, test } from 'vitest'
import { fixtures } from './providers/fixtures.ts'
import { serve } from './support/service.ts'

const ids = readdirSync(`${import.meta.dirname}/../src/marks`).map((file) => file.slice(0, -3))

/** Returns the only export of a module of marks. */
async function importMark(id: string): Promise<string> {
  const exported = Object.values<unknown>(await import(`../src/marks/${id}.ts`))
  expect(exported).toEqual([expect.any(String)])
  return String(exported[0])
}

describe.each(ids)('the mark of %s', (id) => {
  test('has at most 400 bytes, gzipped', async () => {
    expect(gzipSync(await importMark(id)).byteLength).toBeLessThanOrEqual(400)
  })

  test('is safe', async () => {
    const mark = await importMark(id)
    expect(() => createMarks({ [id]: mark })).not.toThrow()
  })

  test('is on the button of its provider', async () => {
    const provider = fixtures.map(({ create }) => create()).find((each) => each.id === id)
    const page = await serve({ providers: provider ? [provider] : [] })
      .browse()
      .visit('/signin')
    expect(await page.text()).toContain(`<span aria-hidden="true">${await importMark(id)}</span>`)
  })
})
