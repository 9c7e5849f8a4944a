/**
 * Checks the workflows of GitHub Actions with GitHub's language service: syntax and expressions. Further:
 * every action is pinned by its commit, every workflow limits its token, and a job runs the tests of every
 * package.
 */
import { globSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'

// The language service imports JSON as bundlers do, without the attribute that Node requires.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
const { validate } = await import('@actions/languageservice')

const TESTS = '.github/workflows/ci.yml'

const workflows = globSync('.github/workflows/*.yml')
const actions = globSync('.github/actions/*/action.yml')
const problems = [
  ...(await Promise.all([...workflows, ...actions].map(listDiagnostics))).flat(),
  ...[...workflows, ...actions].flatMap(listUnpinned),
  ...workflows
    .filter((file) => !('permissions' in read(file)))
    .map((file) => `${file}: expected permissions`),
  ...listUntested(),
]

for (const problem of problems) console.log(problem)
console.log(
  `${workflows.length + actions.length} workflows and actions have ${problems.length} problems`,
)
process.exitCode = problems.length > 0 || workflows.length === 0 ? 1 : 0

async function listDiagnostics(file: string): Promise<string[]> {
  const source = readFileSync(file, 'utf8')
  const document = TextDocument.create(pathToFileURL(file).href, 'yaml', 1, source)
  const diagnostics = await validate(document)
  return diagnostics.map(({ range, message }) => {
    const text = typeof message === 'string' ? message : message.value
    return `${file}:${range.start.line + 1}: ${text}`
  })
}

/** A tag can be moved to another commit: an action of another repository is pinned by its commit. */
function listUnpinned(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, i) => {
    const [, action] = /^\s*(?:- )?uses: (.*)$/.exec(line) ?? []
    if (action === undefined || action.startsWith('./')) return []
    if (/^[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action)) return []
    return `${file}:${i + 1}: expected a commit and "# v1.2.3", found ${action}`
  })
}

/** Returns the packages whose tests no job names, by a filter or by their folder. */
function listUntested(): string[] {
  const words = new Set(readFileSync(TESTS, 'utf8').split(/\s+/))
  return globSync('{packages,packages/internal,apps}/*/package.json').flatMap((file) => {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name: string }
    const folder = dirname(file)
    if (words.has(name) || words.has(`${folder}/`)) return []
    return `${TESTS}: no job runs the tests of ${name}`
  })
}

function read(file: string): object {
  return parse(readFileSync(file, 'utf8')) as object
}
