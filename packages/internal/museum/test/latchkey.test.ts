import { describe, expect, test } from 'vitest'
import { isEquipped } from '../src/exhibit.ts'
import { exhibits } from '../src/exhibits/index.ts'
import { strategies } from '../src/subject.ts'
import type { Strategy } from '../src/subject.ts'
import { openLatchkey } from '../src/subjects/latchkey.ts'

/** Hit by design: a session that is only in its cookie outlives its user until the next renewal (I-58). */
const hits: readonly (readonly [id: string, strategy: Strategy])[] = [
  ['GHSA-2vg6-77g8-24mp', 'cookie and users'],
]

/** The exhibits whose attack a strategy has everything for. */
async function listExhibits(strategy: Strategy): Promise<typeof exhibits> {
  const subject = await openLatchkey({ strategy })
  return exhibits.filter(({ needs }) => isEquipped(subject, needs))
}

const rows = await Promise.all(
  strategies.map(async (strategy) => ({ strategy, shown: await listExhibits(strategy) })),
)

describe.each(rows)('sessions of the strategy "$strategy"', ({ strategy, shown }) => {
  test.each(shown)('$ids.0', async (exhibit) => {
    const verdict = await exhibit.attack(await openLatchkey({ ...exhibit.setup, strategy }))
    const isKnown = hits.some(([id, hit]) => exhibit.ids.includes(id) && hit === strategy)
    expect(verdict).toEqual({
      outcome: isKnown ? 'hit' : 'refused',
      evidence: expect.stringMatching(/\S/),
    })
  })
})

test('every attack runs with sessions in the storage, and most without a storage', () => {
  const counts = new Map(rows.map(({ strategy, shown }) => [strategy, shown.length]))
  expect(counts.get('storage')).toBe(exhibits.length)
  expect(counts.get('revocable')).toBe(exhibits.length)
  expect(counts.get('cookie')).toBeGreaterThan(10)
})
