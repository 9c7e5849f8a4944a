import { readFileSync, readdirSync } from 'node:fs'

const folder = new URL('../../src/providers/', import.meta.url)
const generic = ['credentials.ts', 'email.ts', 'from-auth-js.ts', 'oauth.ts', 'oidc.ts']

/** The ids of all identity providers, which are the names of their files. */
export const providerIds: readonly string[] = readdirSync(folder)
  .filter((file) => !generic.includes(file))
  .map((file) => file.replace(/\.ts$/, ''))

/** What the file of an identity provider says. */
export interface ProviderFacts {
  readonly id: string
  /** The function that creates the provider. */
  readonly create: string
  readonly name: string
  readonly protocol: 'oauth' | 'oidc'
  /** The bullets of the docstring by their labels, such as `Refresh`. */
  readonly bullets: ReadonlyMap<string, string>
  /** The URLs of the provider's documentation. */
  readonly see: readonly string[]
}

/**
 * Reads the file of an identity provider.
 *
 * @throws Error if the file does not have the form of the others
 */
export function readFacts(id: string): ProviderFacts {
  const source = readFileSync(new URL(`${id}.ts`, folder), 'utf8')
  const [, doc = '', create = ''] =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport function (\w+)\(/.exec(source) ?? []
  const text = doc.replaceAll(/^ \* ?/gm, '')
  const [list = ''] = text.split('\n@')
  const bullets = list
    .split(/^- /m)
    .slice(1)
    .map((bullet) => bullet.replaceAll(/\s+/g, ' ').trim())
  return {
    id,
    create,
    name: find(source, /\bid: '[^']+',\s+name: '([^']+)'/),
    protocol: find(source, /from '\.\/(oauth|oidc)\.ts'/) as 'oauth' | 'oidc',
    bullets: new Map(bullets.map((bullet) => splitOnce(bullet, ': '))),
    see: [...text.matchAll(/^@see (\S+)$/gm)].map(([, url = '']) => url),
  }
}

/** Returns the first sentence of a bullet, without its full stop. */
export function getSummary({ id, bullets }: ProviderFacts, label: string): string {
  const [summary = ''] = (bullets.get(label) ?? '').split(/\.(?: |$)/)
  if (summary === '') throw new Error(`${id}: expected the bullet "${label}"`)
  return summary
}

function find(source: string, pattern: RegExp): string {
  const [, found] = pattern.exec(source) ?? []
  if (found === undefined) throw new Error(`expected ${String(pattern)}`)
  return found
}

function splitOnce(text: string, separator: string): [string, string] {
  const [first = '', ...rest] = text.split(separator)
  return [first, rest.join(separator)]
}
