import { setImmediate } from 'node:timers/promises'
import type { Environment } from '@latchkey/environment'
import { conventions } from '../application/config-file.ts'
import { loadApplication } from '../application/load-application.ts'
import type { ServiceOptions } from '../application/find-export.ts'
import type { Application } from '../application/load-application.ts'
import { UsageError } from '../lib/cli-error.ts'
import { loadEnvironment } from '../lib/env-file.ts'
import { showProgress } from '../lib/terminal.ts'
import { getApplicationFindings, getStrayFindings } from './application.ts'
import { cleanFinding } from './clean.ts'
import { createClock } from './clock.ts'
import { getConfirmationFindings } from './confirmation.ts'
import { getDeploymentFindings } from './deployment.ts'
import { note } from './finding.ts'
import type { Finding } from './finding.ts'
import { getNextAuthFindings } from './next-auth.ts'
import { getPlaceholderFindings } from './placeholders.ts'
import { getUnusedProviderFindings } from './provider-variables.ts'
import { getProvidersFindings } from './providers.ts'
import { getSecretFindings } from './secret.ts'
import { getDatabaseFindings, getSmtpFindings } from './servers.ts'
import { readSettings } from './settings.ts'
import { getConfiguredStorageFindings } from './storage.ts'
import { getUnreadFindings } from './unread-variables.ts'
import { getVariableFindings, isPublicUrl } from './variables.ts'

/** What is examined, as the command line names it. */
export interface ExamineOptions {
  /** The file of the variables. Default: `.env`, `.env.local` and `.dev.vars` */
  readonly env?: string
  /** The module that calls `createAuth`. Default: found by convention */
  readonly config?: string
  /** The URL of a running service. Default: the service's own, if it is public */
  readonly url?: string
  /** Whether nothing is sent over the network. Default: false */
  readonly offline?: boolean
}

/** What was found, and in what. */
export interface Examination {
  readonly findings: readonly Finding[]
  /** The module and the files of variables, in a sentence. */
  readonly sources: string
}

/**
 * Runs every check of `latchkey doctor`.
 *
 * @param folder The folder of the project
 * @throws UsageError, CliError
 */
export async function examine(folder: string, options: ExamineOptions): Promise<Examination> {
  if (options.url !== undefined && !/^https?:$/.test(URL.parse(options.url)?.protocol ?? '')) {
    throw new UsageError(`expected a URL such as https://example.com, found "${options.url}"`)
  }
  const variables = loadEnvironment(folder, options.env)
  const { env, files } = variables
  const { config } = options
  const application = await showProgress('The application', () =>
    loadApplication(folder, { config, variables, createsFiles: false }),
  )
  try {
    const subject = await getSubject(folder, env, application)
    const remote = options.offline ? [] : await getRemoteFindings(folder, subject, options)
    // Node reports a rejected promise after the current callbacks.
    await setImmediate()
    const stray = application ? getStrayFindings(application) : []
    const findings = [...subject.findings, ...remote, ...stray]
    return {
      findings: findings.map((finding) => cleanFinding(finding, env)),
      sources: `${application?.file ?? 'No module'}, with variables of ${[...files, 'this process'].join(', ')}`,
    }
  } finally {
    await application?.close()
  }
}

/** What is checked of a configuration. Variables name no storage. */
type CheckedConfig = Omit<ServiceOptions, 'trustHost'>

/** What is examined: the configuration of an application, or what the variables describe. */
interface Subject {
  readonly config: CheckedConfig
  readonly env: Environment
  /** What is found without a network. */
  readonly findings: readonly Finding[]
  readonly getDatabaseFindings: () => Promise<readonly Finding[]>
}

async function getSubject(
  folder: string,
  env: Environment,
  application: Application | undefined,
): Promise<Subject> {
  if (application && 'config' in application.outcome) {
    return getApplicationSubject(folder, env, application, application.outcome.config)
  }
  const failures = application ? getApplicationFindings(application, env) : [describeAbsence()]
  const reads = failures.some(({ level }) => level === 'broken') ? application?.reads : undefined
  return getVariablesSubject(folder, env, { failures, reads })
}

function describeAbsence(): Finding {
  const text = `no module with createAuth was found (${conventions}): only the variables are checked`
  return note('configuration', text, 'name the module with --config')
}

function getApplicationSubject(
  folder: string,
  env: Environment,
  application: Application,
  config: ServiceOptions,
): Subject {
  const { file, reads, effects } = application
  const { secret, storage, trustHost = false, serviceUrl } = config
  return {
    config,
    env,
    findings: [
      ...getApplicationFindings(application, env),
      ...getUnusedProviderFindings(config, { env, reads, file }),
      ...getUnreadFindings(env, { reads, file }),
      ...getConfirmationFindings(config),
      ...getNextAuthFindings(env, reads),
      ...getPlaceholderFindings(env, reads),
      ...getSecretFindings(secret),
      ...getVariableFindings({ trustHost, serviceUrl }, env, { folder, reads }),
    ],
    getDatabaseFindings: () =>
      getConfiguredStorageFindings(storage, { folder, migrates: effects.migrates }),
  }
}

/** Why there is no configuration. */
interface Absence {
  readonly failures: readonly Finding[]
  /** The names of the variables that the module has read. Undefined if it was not run to its end. */
  readonly reads: ReadonlySet<string> | undefined
}

async function getVariablesSubject(
  folder: string,
  env: Environment,
  { failures, reads }: Absence,
): Promise<Subject> {
  const settings = await readSettings(env)
  const known = failures.map(({ subject }) => subject)
  // A module that was run may have its own values in place of variables.
  const concerns = ({ subject }: Finding): boolean =>
    !known.includes(subject) && (!reads || reads.has(subject) || env[subject] !== undefined)
  const problems = settings.findings.filter(concerns)
  // What cannot be read at all is not judged too.
  const named = [...known, ...problems.map(({ subject }) => subject)]
  const isNew = ({ subject }: Finding): boolean => !named.includes(subject)
  return {
    config: settings.config,
    env,
    findings: [
      ...failures,
      ...problems,
      ...getNextAuthFindings(env, reads ?? new Set()).filter(isNew),
      ...getPlaceholderFindings(env, reads).filter(isNew),
      ...getSecretFindings(settings.config.secret),
      ...getVariableFindings(settings.config, env, { folder }).filter(isNew),
    ],
    getDatabaseFindings: async () => (await getDatabaseFindings(env, folder)).filter(isNew),
  }
}

async function getRemoteFindings(
  folder: string,
  { config, env, getDatabaseFindings: tryDatabase }: Subject,
  options: ExamineOptions,
): Promise<readonly Finding[]> {
  const clock = createClock()
  const url = options.url ?? getPublicUrl(config)
  const findings = [
    ...(await showProgress('The database', tryDatabase)),
    ...(await showProgress('The SMTP server', () => getSmtpFindings(env))),
    ...(await showProgress('The identity providers', () =>
      getProvidersFindings({ config, clock, fetch }),
    )),
    ...(url === undefined
      ? []
      : await showProgress(url, () =>
          getDeploymentFindings(url, clock, fetch, { ...config, folder }),
        )),
  ]
  return [...findings, ...clock.getFindings()]
}

function getPublicUrl({ serviceUrl }: CheckedConfig): string | undefined {
  return isPublicUrl(serviceUrl) ? String(serviceUrl) : undefined
}
