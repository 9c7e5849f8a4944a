import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../apps/recipes', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
/** Its README says how it differs from the recipe for SvelteKit 3, and shows nothing. */
const other = 'sveltekit-2/README.md'

/** The files that a README shows: a line with the path, then a block with the text. */
function listShown(readme: string): readonly (readonly [path: string, text: string])[] {
  const blocks = readme.matchAll(/^`(\S+)`:\n\n```\w+\n([^]*?)^```$/gm)
  return [...blocks].map(([, path = '', text = '']) => [path, text])
}

describe.for(globSync('*/README.md', { cwd: root, exclude: [other] }))('%s', (file) => {
  const shown = listShown(read(file))

  test('shows the mount and a page', () => {
    const texts = shown.map(([, text]) => text).join('')
    expect(texts).toMatch(/auth\.handle|createListener\(auth\)/)
    expect(texts).toContain('auth.getSession(')
  })

  test.for(shown)('%s is shown as it is tested', ([path, text]) => {
    expect(text).toBe(read(join(dirname(file), path)))
  })
})

test('the hook of SvelteKit 2 is that of SvelteKit 3, except for one import', () => {
  const hook = read('sveltekit/src/hooks.server.ts')
  expect(read('sveltekit-2/src/hooks.server.ts')).toBe(hook.replace('kit/hooks', 'kit'))
})
