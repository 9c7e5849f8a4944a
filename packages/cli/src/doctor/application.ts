import type { Environment } from '@latchkey/environment'
import type { ServiceOptions } from '../application/find-export.ts'
import type { Application } from '../application/load-application.ts'
import { ExitError } from '../application/module-guards.ts'
import { CliError, describeThrown } from '../lib/cli-error.ts'
import { describeDatabaseProblem } from '../lib/database.ts'
import { getVariable } from '../lib/env-file.ts'
import { isObject, readText } from '../lib/members.ts'
import { broken, note, ok, weak } from './finding.ts'
import type { Finding } from './finding.ts'
import { getFix } from './fixes.ts'

/** Says whether the service of an application starts, and what its module does besides. */
export function getApplicationFindings(
  application: Application,
  env: Environment,
): readonly Finding[] {
  const { file, outcome, effects, bindingProblem } = application
  return [
    ...('config' in outcome
      ? [describeService(file, outcome.config)]
      : getFailureFindings(application, outcome.thrown, env)),
    ...(effects.listens ? [describeServer(file)] : []),
    ...(bindingProblem === undefined ? [] : [weak(file, bindingProblem, bindingFix)]),
  ]
}

/** Says what nothing has caught, while the module was run and its service was examined. */
export function getStrayFindings({ file, stray }: Application): readonly Finding[] {
  const fix = 'add a listener for the event error of the client, or await its promise'
  return stray.map((thrown) => {
    const text = `an error that nothing catches ends the process: ${describeDatabaseProblem(thrown)}`
    return broken(file, text, fix)
  })
}

function describeService(file: string, { providers }: ServiceOptions): Finding {
  return ok(file, `the service starts, with ${providers.map(({ id }) => id).join(', ')}`)
}

function describeServer(file: string): Finding {
  const text = 'starts a server when it is imported: no port was opened here'
  return note(file, text, 'call createAuth in a separate file, such as src/auth.ts')
}

function getFailureFindings(
  { file, reads }: Application,
  thrown: unknown,
  env: Environment,
): readonly Finding[] {
  const unset = [...reads].filter(
    (name) => /^(AUTH|SERVICE|DATABASE)_/.test(name) && getVariable(env, name) === undefined,
  )
  return getProblems(thrown)
    .map(({ option, problem }) =>
      broken(option, problem, getFix(option, problem) + describeUnset(option, unset, file)),
    )
    .concat(getProblems(thrown).length > 0 ? [] : [describeFailure(file, thrown)])
}

/** Names the variables that the module reads and that are not set, if the option may come from them. */
function describeUnset(option: string, unset: readonly string[], file: string): string {
  const [, provider = ''] = /^providers\.([\w-]+)\./.exec(option) ?? []
  const prefix =
    provider === '' ? 'AUTH_SECRET' : `AUTH_${provider.toUpperCase().replaceAll('-', '_')}_`
  const names = unset.filter((name) => name.startsWith(prefix))
  if (names.length === 0 || (provider === '' && option !== 'secret')) return ''
  return `; ${file} reads ${names.join(' and ')}, which is not set`
}

/** One option or variable that cannot be used. */
interface Problem {
  readonly option: string
  readonly problem: string
}

/** Returns what a ConfigurationError or an EnvironmentError names. The project has its own classes. */
function getProblems(thrown: unknown): readonly Problem[] {
  const listed = isObject(thrown) ? thrown['problems'] : undefined
  const problems: readonly unknown[] = Array.isArray(listed) ? listed : [thrown]
  return problems.flatMap((each) => {
    const option = readText(each, 'variable') ?? readText(each, 'option')
    const problem = readText(each, 'problem')
    return option === undefined || problem === undefined ? [] : [{ option, problem }]
  })
}

/** Names of modules that a bundler or a framework provides. */
const bundled = /^(?:[$~#]|@\/|virtual:|astro:|cloudflare:|bun:|solid:)/

function describeFailure(file: string, thrown: unknown): Finding {
  const text = describeThrown(thrown)
  const fallback = 'only the variables are checked'
  if (thrown instanceof CliError) return weak(file, `${text}: ${fallback}`, configFix)
  if (thrown instanceof ExitError) {
    return broken(file, `${text}: what it printed says why`, 'correct what it prints')
  }
  const [, missing] = /Cannot find (?:module|package) '([^']+)'/.exec(text) ?? []
  if (missing === undefined) {
    return broken(file, `throws when it is loaded: ${text}`, `run it, and correct the error`)
  }
  if (bundled.test(missing)) {
    const reason = `imports ${missing}, which only its bundler has: ${fallback}`
    return weak(
      file,
      reason,
      `call createAuth in a file without that import, and name it with --config`,
    )
  }
  return broken(
    file,
    `imports ${missing}, which is not there`,
    `npm install ${missing}, or correct the import`,
  )
}

const bindingFix = 'npm install --save-dev wrangler, and correct its configuration'
const configFix = 'name the module that exports auth with --config'
