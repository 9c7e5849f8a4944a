/** Checks the length of functions: none has more than 60 lines, at most three more than 40. */
import { globSync, readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'
import type { ArrowFunctionExpression, Function } from 'oxc-parser'

const MAX_LINES = 60
const LONG_LINES = 40
const MAX_LONG_FUNCTIONS = 3

interface Length {
  /** File and first line. */
  readonly position: string
  readonly lines: number
}

const files = globSync('{packages,packages/internal,apps}/*/src/**/*.{ts,tsx}')
const long = files
  .flatMap(measureFunctions)
  .filter(({ lines }) => lines > LONG_LINES)
  .toSorted((a, b) => b.lines - a.lines)

for (const { position, lines } of long) console.log(`${position} ${lines} lines`)
const tooLong = long.filter(({ lines }) => lines > MAX_LINES)
console.log(
  `${long.length} functions have more than ${LONG_LINES} lines: at most ${MAX_LONG_FUNCTIONS} may`,
)
console.log(`${tooLong.length} functions have more than ${MAX_LINES} lines: none may`)
process.exitCode = tooLong.length > 0 || long.length > MAX_LONG_FUNCTIONS ? 1 : 0

function measureFunctions(file: string): Length[] {
  const source = readFileSync(file, 'utf8')
  const lengths: Length[] = []
  const measure = ({ start, end }: ArrowFunctionExpression | Function): void => {
    const position = `${file}:${countLines(source.slice(0, start))}`
    lengths.push({ position, lines: countLines(source.slice(start, end)) })
  }
  new Visitor({
    ArrowFunctionExpression: measure,
    FunctionDeclaration: measure,
    FunctionExpression: measure,
  }).visit(parseSync(file, source).program)
  return lengths
}

function countLines(text: string): number {
  return text.split('\n').length
}
