import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const getPath = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const readme = readFileSync(getPath('README.md'), 'utf8')

/** The files that the README shows: a line with the path, then a block with the text. */
const shown = [...readme.matchAll(/^`(frameworks\/\S+)`:\n\n```\w+\n([^]*?)^```$/gm)]

test('the README shows the mount and a page of every recipe', () => {
  const folders = shown.map(([, path = '']) => path.split('/')[1])
  for (const name of ['astro', 'sveltekit', 'react-router', 'tanstack-start']) {
    expect(folders.filter((folder) => folder === name).length, name).toBeGreaterThanOrEqual(2)
  }
})

test.for(shown.map(([, path = '', text = '']) => [path, text] as const))(
  '%s is shown as it is tested',
  ([path, text]) => {
    expect(text).toBe(readFileSync(getPath(path), 'utf8'))
  },
)
