import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the application, as the guide shows it. */
export interface GuideFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/^`(\S+)`, (before|after):\n\n```tsx\n([^]*?)^```$/gm)]

/** The files that the guide changes: a line with the path, then a block with the text. */
export const guideFiles: readonly GuideFile[] = blocks
  .filter(([, , when]) => when === 'before')
  .map(([, path = '', , before = '']) => ({ path, before, after: getAfter(path) }))

/** @throws Error if the guide does not say what the file becomes */
function getAfter(path: string): string {
  const [, , , text] = blocks.find(([, name, when]) => name === path && when === 'after') ?? []
  if (text === undefined) throw new Error(`expected the README to show ${path} after the change`)
  return text
}

/** Applies the guide to a copy of the application. */
export function applyGuide(folder: string): void {
  for (const { path, after } of guideFiles) writeFileSync(join(folder, path), after)
}
