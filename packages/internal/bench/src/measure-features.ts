import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { bundleWorker, measureGzipped } from './bundle.ts'
import type { BundleInput } from './bundle.ts'
import { features } from './features.ts'
import type { AddedFeature, Feature, RemovedFeature } from './features.ts'
import { formatCount, formatMarkdown } from './output/table.ts'

/** What a part of a Worker costs. */
export interface FeatureSize {
  readonly feature: Feature
  /** The difference to the Worker without the part, in bytes, gzipped. */
  readonly gzipped: number
}

const WORKER = 'src/workers/latchkey.ts'
const resolveDir: string = fileURLToPath(new URL('..', import.meta.url))
const core: string = fileURLToPath(new URL('../../../core/src/', import.meta.url))

/**
 * Measures what each optional part costs, by bundling with it and without it.
 *
 * @throws Error if the table of the parts names a module that is not in the bundle
 */
export async function measureFeatures(): Promise<FeatureSize[]> {
  const base = await measure({ entryPoints: [WORKER] })
  return Promise.all(
    features.map(async (feature) =>
      'imports' in feature
        ? { feature, gzipped: (await measureWith(feature)) - base }
        : { feature, gzipped: base - (await measureWithout(feature)) },
    ),
  )
}

/** Returns the table in Markdown. */
export function describeFeatures(sizes: readonly FeatureSize[]): string {
  const rows = sizes.map(({ feature, gzipped }) => [
    feature.name,
    'imports' in feature ? 'imported' : 'included',
    formatCount(gzipped),
  ])
  return formatMarkdown([['part', 'in the Worker', 'bytes, gzipped'], ...rows])
}

/**
 * Replaces the table in the README.
 *
 * @throws Error if the README does not have its markers
 */
export function replaceFeatureTable(readme: string, table: string): string {
  const section = /(?<=<!-- features -->\n)[^]*(?=<!-- \/features -->)/
  if (!section.test(readme)) {
    throw new Error('expected <!-- features --> and <!-- /features --> in the README')
  }
  return readme.replace(section, () => `\n${table}\n\n`)
}

async function measure(input: BundleInput): Promise<number> {
  return measureGzipped(await bundleWorker(input))
}

function measureWith({ imports }: AddedFeature): Promise<number> {
  const lines = imports.map((text) => {
    const [name, module] = text.split(' from ')
    return `export { ${name} } from '${module}'`
  })
  const contents = [`export { default } from './${WORKER}'`, ...lines].join('\n')
  return measure({ stdin: { contents, resolveDir } })
}

async function measureWithout({ name, modules }: RemovedFeature): Promise<number> {
  const paths = modules.map((module) => core + module)
  for (const path of paths) if (!existsSync(path)) throw new Error(`${name}: there is no ${path}`)
  const replaced: string[] = []
  const size = await measure({ entryPoints: [WORKER], plugins: [createStubs(paths, replaced)] })
  if (replaced.length === 0) throw new Error(`${name}: no longer in the Worker, so it is an import`)
  return size
}

/**
 * Replaces modules by ones whose exports have no value.
 *
 * @param replaced Gets the paths of those that the bundle has: some are imported by others of them only
 */
function createStubs(paths: readonly string[], replaced: string[]): Plugin {
  return {
    name: 'stubs',
    setup(builder) {
      builder.onLoad({ filter: /\/core\/src\/.*\.ts$/ }, async ({ path }) => {
        if (!paths.includes(path)) return undefined
        replaced.push(path)
        const names = findExports(await readFile(path, 'utf8'))
        return { contents: names.map((name) => `export const ${name} = undefined`).join('\n') }
      })
    },
  }
}

/** Returns the names of the exported values of a module. */
function findExports(source: string): string[] {
  const declarations = source.matchAll(
    /^export (?:async )?(?:function\*?|const|let|class|abstract class) (\w+)/gm,
  )
  return [...declarations].flatMap(([, name]) => name ?? [])
}
