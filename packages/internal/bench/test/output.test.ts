import { expect, test } from 'vitest'
import { drawBarChart } from '../src/output/bar-chart.ts'
import { median, medianRatio } from '../src/output/median.ts'
import { formatTable } from '../src/output/table.ts'

test('a median is the middle, or the mean of the two in the middle', () => {
  expect(median([9, 1, 2])).toBe(2)
  expect(median([9, 1, 2, 4])).toBe(3)
  expect(median([])).toBeNaN()
})

test('a ratio is taken within each round', () => {
  expect(medianRatio([10, 100, 30], [1, 50, 10])).toBe(3)
  expect(medianRatio([10], [])).toBeUndefined()
})

test('figures are aligned to the right, names and targets to the left', () => {
  expect(
    formatTable([
      ['work', 'rate', 'targets'],
      ['a', '1,000', '>= 5 x ok'],
      ['bcd', '2', ''],
    ]),
  ).toBe('work   rate  targets\na     1,000  >= 5 x ok\nbcd       2')
})

test('a bar is as long as its value, and a missing value has no bar', () => {
  const svg = drawBarChart({
    title: 'a < b & c',
    subtitle: '',
    series: ['one', 'two'],
    groups: [
      { label: 'first', values: [4, 1] },
      { label: 'second', values: [2, undefined] },
    ],
    line: { value: 1, label: 'goal' },
    format: (value) => `${value} times`,
  })
  const widths = [...svg.matchAll(/class="series-\d" x="230" y="[\d.]+" width="([\d.]+)"/g)]
  const [longest = NaN, ...others] = widths.map(([, width]) => Number(width))
  expect(others).toEqual([longest / 4, longest / 2])
  expect(svg).toContain('a &lt; b &amp; c')
  expect(svg).toContain('4 times')
  expect(svg).toContain('prefers-color-scheme: dark')
})
