/** The version of this package. `node .ci/next-versions.ts` writes it. */
export const version = '0.1.0'

/** A copy of this package in this process. */
interface Copy {
  /** Returns a stack that begins in a file of the copy. */
  readonly trace: () => string
  /** Whether the copy belongs to a program that only loads an application. */
  isTool: boolean
}

/** The copies by version, in the registry of symbols that all of them share. */
const key: unique symbol = Symbol.for('latchkey.copies')
const shared: typeof globalThis & { [key]?: Map<string, Copy> } = globalThis
const copies = (shared[key] ??= new Map<string, Copy>())
const own: Copy = { trace: () => String(new Error().stack), isTool: false }
copies.set(version, own)

/** Returns what is wrong if an application has loaded another version of this package; undefined if it has not. */
export function describeOtherCopy(): string | undefined {
  const loaded = [...copies].filter(([, copy]) => copy === own || !copy.isTool)
  if (loaded.length < 2) return undefined
  const [first, second] = loaded.map(([name, { trace }]) => `${name} (${getPath(trace())})`)
  const repair = 'run "npm update" for the packages of Latchkey, then "npm dedupe"'
  return `two versions are loaded, ${first} and ${second}, and must be one: ${repair}`
}

/** Marks this copy as the one of a program, such as the command line, which loads an application with another one. */
export function markAsTool(): void {
  own.isTool = true
}

/** Returns the first file of a stack, without its position. */
function getPath(stack: string): string {
  const [path = 'in a bundle'] = /[^\s(@]*\/[^\s()]+(?=:\d+:\d+)/.exec(stack) ?? []
  return path.replace('file://', '')
}
