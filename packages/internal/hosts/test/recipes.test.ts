import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../../apps/recipes', import.meta.url))

/** The files that a README shows: a line with the path, then a block with the text. */
function listShown(readme: string): readonly (readonly [path: string, text: string])[] {
  const blocks = readme.matchAll(/^`(\S+)`:\n\n```\w+\n([^]*?)^```$/gm)
  return [...blocks].map(([, path = '', text = '']) => [path, text])
}

describe.for(globSync('*/README.md', { cwd: root }))('%s', (file) => {
  const shown = listShown(readFileSync(join(root, file), 'utf8'))

  test('shows the mount and a page', () => {
    const texts = shown.map(([, text]) => text).join('')
    expect(texts).toContain('auth.handle')
    expect(texts).toContain('auth.getSession(')
  })

  test.for(shown)('%s is shown as it is tested', ([path, text]) => {
    expect(text).toBe(readFileSync(join(root, dirname(file), path), 'utf8'))
  })
})
