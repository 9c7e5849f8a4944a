/** Type-checks every `@example` of the packages and every `ts` block of the READMEs and docs. */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// This package depends on all others, so that their names resolve in it.
const folder = 'packages/hosts/examples'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

// As on Workers: an import of WebAssembly is a module.
writeFileSync(
  `${folder}/wasm.d.ts`,
  `declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
`,
)

let count = 0
for (const file of globSync([
  'packages/*/src/**/*.ts',
  'README.md',
  '*/*/README.md',
  'docs/*.md',
])) {
  const text = readFileSync(file, 'utf8')
  const examples = file.endsWith('.md') ? getCodeBlocks(text) : getExamples(text)
  for (const [i, example] of examples.entries()) {
    const name = `${file.replaceAll(/[/.]/g, '-')}-${i + 1}.ts`
    writeFileSync(`${folder}/${name}`, `${example}\nexport {}\n`)
    count += 1
  }
}
writeFileSync(
  `${folder}/tsconfig.json`,
  JSON.stringify({
    extends: '../../../tsconfig.base.json',
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      isolatedDeclarations: false,
      declaration: false,
      noUnusedLocals: false,
      skipLibCheck: true,
      types: ['node'],
    },
    include: ['.'],
  }),
)
try {
  execFileSync('tsc', ['-p', folder], { stdio: 'inherit' })
  console.log(`${count} examples compile`)
} catch {
  process.exitCode = 1
} finally {
  if (process.exitCode !== 1) rmSync(folder, { recursive: true })
}

/** Returns the indented code under each `@example` of a docstring. */
function getExamples(source: string): string[] {
  return [...source.matchAll(/^ *\* @example\n((?: *\*(?:  .*|)\n)+)/gm)].map(([, block = '']) =>
    block.replaceAll(/^ *\* ?/gm, ''),
  )
}

function getCodeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}
