import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Lists the numbers of every INTERFACE.md, each with the numbers of its sentences: `I-38` and `I-38.2`. */
export function listRules(root: string): readonly string[] {
  const files = globSync('packages/*/INTERFACE.md', { cwd: root })
  return files.flatMap((file) => parseRules(readFileSync(join(root, file), 'utf8')))
}

function parseRules(markdown: string): readonly string[] {
  const found: string[] = []
  let number = ''
  for (const line of markdown.split('\n')) {
    const [, begun] = /^- \*\*(I-\d+)\*\*/.exec(line) ?? []
    const [, sentence] = /^ {2}(\d+)\. /.exec(line) ?? []
    number = begun ?? (/^\S/.test(line) ? '' : number)
    if (begun !== undefined) found.push(begun)
    else if (number !== '' && sentence !== undefined) found.push(`${number}.${sentence}`)
  }
  return found
}
