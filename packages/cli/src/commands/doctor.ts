import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import type { AuthConfig } from '@latchkey/core'
import { Command } from 'commander'
import { createClock } from '../doctor/clock.ts'
import { checkDeployment } from '../doctor/deployment.ts'
import type { Finding, Level } from '../doctor/finding.ts'
import { checkProviders } from '../doctor/providers.ts'
import { checkSecrets } from '../doctor/secret.ts'
import { checkDatabase, checkSmtp } from '../doctor/servers.ts'
import { readSettings } from '../doctor/settings.ts'
import { checkVariables, isPublicUrl } from '../doctor/variables.ts'
import { CliError, UsageError } from '../lib/cli-error.ts'
import { loadEnvironment } from '../lib/env-file.ts'
import { print, report, showProgress } from '../lib/terminal.ts'

interface DoctorOptions {
  readonly env?: string
  readonly config?: string
  readonly url?: string
  readonly offline?: true
  readonly strict?: true
  readonly json?: true
}

/** Creates the command `latchkey doctor`. */
export function doctorCommand(setCode: (code: number) => void): Command {
  return new Command('doctor')
    .description('Try the settings: what is wrong, what is weak, and what to do about it.')
    .option('--env <file>', 'read variables from this file (default: .env, .env.local, .dev.vars)')
    .option('--config <file>', 'a module that exports the configuration as "config" or by default')
    .option('--url <url>', 'the URL of a running service (default: SERVICE_URL)')
    .option('--offline', 'send nothing over the network')
    .option('--strict', 'weak settings fail too')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      const findings = await examine(process.cwd(), options)
      if (options.json) print(JSON.stringify(findings, null, 2))
      else for (const finding of findings) print(render(finding))
      if (!options.json) report(summarize(findings))
      setCode(isSound(findings, options.strict === true) ? 0 : 1)
    })
}

const help = `
It reads the variables of your project as the service does, and tries what they name: discovery at
each provider, the redirect URI as far as the provider says, the client secret, the database and its
migrations, the SMTP server, the clock, and the running service behind its reverse proxy. It sends
no email, and changes nothing.

  $ latchkey doctor
  $ latchkey doctor --url https://example.com           the deployment, through its proxy
  $ latchkey doctor --env production.env --strict  in CI, before a deployment
  $ latchkey doctor --config ./auth.config.ts

Exit codes: 0 sound, 1 something is broken (with --strict: or weak).`

async function examine(folder: string, options: DoctorOptions): Promise<readonly Finding[]> {
  if (options.url !== undefined && !/^https?:$/.test(URL.parse(options.url)?.protocol ?? '')) {
    throw new UsageError(`expected a URL such as https://example.com, found "${options.url}"`)
  }
  const { env, files } = loadEnvironment(folder, options.env)
  const settings = await readSettings(env)
  const isConfigured = options.config !== undefined
  if (!isConfigured) report(`Variables of ${[...files, 'this process'].join(', ')}`)
  const config = options.config === undefined ? settings.config : await loadConfig(options.config)
  // What cannot be read at all is not judged too.
  const isNew = ({ subject }: Finding): boolean =>
    !settings.findings.some((finding) => finding.subject === subject)
  const local = [
    ...(isConfigured ? [] : settings.findings),
    ...checkSecrets(config.secret),
    ...(isConfigured ? [] : checkVariables(settings.config, env, folder).filter(isNew)),
  ]
  if (options.offline) return local
  const clock = createClock()
  const url = options.url ?? getPublicUrl(config)
  const remote = [
    ...(await showProgress('The database', () => checkDatabase(env, folder))),
    ...(await showProgress('The SMTP server', () => checkSmtp(env))),
    ...(await showProgress('The identity providers', () =>
      checkProviders({ config, clock, fetch }),
    )),
    ...(url === undefined ? [] : await showProgress(url, () => checkDeployment(url, clock, fetch))),
  ]
  return [...local, ...remote, ...clock.check()]
}

function getPublicUrl({ serviceUrl }: Pick<AuthConfig, 'serviceUrl'>): string | undefined {
  return isPublicUrl(serviceUrl) ? String(serviceUrl) : undefined
}

/** Imports the configuration of an application that does not use variables. */
async function loadConfig(file: string): Promise<AuthConfig> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly config?: unknown
    readonly default?: unknown
  }
  const config = Object(module.config ?? module.default) as Partial<AuthConfig>
  if (!Array.isArray(config.providers) || config.secret === undefined) {
    throw new CliError(`expected ${file} to export the options of createAuth as "config"`)
  }
  return config as AuthConfig
}

function isSound(findings: readonly Finding[], isStrict: boolean): boolean {
  const failing: readonly Level[] = isStrict ? ['broken', 'weak'] : ['broken']
  return findings.every(({ level }) => !failing.includes(level))
}

const marks = {
  ok: ['green', '✔'],
  note: ['blue', '·'],
  weak: ['yellow', '!'],
  broken: ['red', '✖'],
} as const

function render({ level, subject, text, fix }: Finding): string {
  const [color, mark] = marks[level]
  const line = `${styleText(color, mark)} ${subject}: ${text}`
  return fix === undefined ? line : `${line}\n    ${styleText('dim', fix)}`
}

function summarize(findings: readonly Finding[]): string {
  const count = (level: Level): number => findings.filter((each) => each.level === level).length
  return `\n${count('broken')} broken, ${count('weak')} weak, ${count('ok')} in order`
}
