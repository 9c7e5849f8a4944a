import { expect, test } from 'vitest'
import { describeCold, drawCold, toColdFigure, toColdRatios } from '../src/cold/describe.ts'
import { measureIsolates } from '../src/cold/isolate.ts'
import { measureProcesses } from '../src/cold/process.ts'
import { checkAnswer, subjects } from '../src/cold/subjects.ts'
import type { Subject } from '../src/cold/subjects.ts'

/** Processes and isolates start slowly on a busy machine. */
const timeout = 120_000

// Miniflare neither uses the network nor writes a file.
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

test('the first answer of a process is measured', { timeout }, async () => {
  const series = await measureProcesses({ rounds: 1 })
  const ratios = toColdRatios(toColdFigure('A cold process', series, 'callCpu'))
  expect(ratios).toEqual({
    'GET /session': measured(['latchkey', 'authCore', 'betterAuth', 'floor']),
    'GET /csrf': measured(['latchkey', 'authCore', 'floor']),
    'GET /signin': measured(['latchkey', 'authCore', 'floor']),
  })
})

test('the first answer of an isolate is measured', { timeout }, async () => {
  const series = await measureIsolates({ rounds: 1 })
  const figure = toColdFigure('A cold isolate', series, 'wall')
  expect(figure.times['GET /session'].betterAuth).toHaveLength(1)
  expect(describeCold(figure)).toContain('GET /signin')
  expect(drawCold(figure)).toContain('GET /signin')
})

test('a wrong first answer stops the measurement', () => {
  const [subject] = subjects as readonly [Subject]
  expect(() => checkAnswer(subject, 'GET /csrf', '{}')).toThrow('latchkey')
})

function measured(names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.map((name) => [name, expect.any(Number)]))
}
