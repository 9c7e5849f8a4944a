import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

/** A code block of a document, or an `@example` of a docstring. */
export interface Block {
  /** The document, relative to the root. */
  readonly file: string
  /** The number of its first line, from 1. */
  readonly line: number
  /** `ts`, `sh`, …; empty if the block is not code. */
  readonly language: string
  /** The file that the block is: the line before names it, as `path`:. */
  readonly path: string | undefined
  /** What the line before says of the file, such as `before`. */
  readonly remark: string
  readonly text: string
}

/** Lists the blocks of all documents of the repository, and the examples of all docstrings. */
export function listBlocks(): Block[] {
  const args = ['ls-files', '-co', '--exclude-standard', '*.md']
  const documents = execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n')
  const sources = globSync('{packages,packages/internal}/*/src/**/*.{ts,tsx}')
  return [
    ...documents.flatMap((file) => readDocument(file, readFileSync(file, 'utf8'))),
    ...sources.flatMap((file) => readDocstrings(file, readFileSync(file, 'utf8'))),
  ]
}

function readDocument(file: string, text: string): Block[] {
  const fence = /^( *)```([\w-]*)[^\n]*\n([\s\S]*?)^\1```$/gm
  return [...text.matchAll(fence)].map(
    ({ 1: indent = '', 2: language = '', 3: body = '', index }) => {
      const before = text.slice(0, index).trimEnd().split('\n').at(-1) ?? ''
      const [, path, remark = ''] = /^ *`([\w./[\]$+-]+\.\w+)`(?:, (\w+))?.*:/.exec(before) ?? []
      const line = text.slice(0, index).split('\n').length
      const lines = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      return { file, line, language, path, remark, text: lines }
    },
  )
}

function readDocstrings(file: string, text: string): Block[] {
  const examples = text.matchAll(/^ *\* @example\n((?: *\*(?:  .*|)\n)+)/gm)
  return [...examples].map(({ 1: block = '', index }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
    language: 'ts',
    path: undefined,
    remark: '',
    text: block.replaceAll(/^ *\* ?/gm, ''),
  }))
}
