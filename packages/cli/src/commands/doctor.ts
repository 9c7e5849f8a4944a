import { styleText } from 'node:util'
import { Command } from 'commander'
import { examine } from '../doctor/examine.ts'
import type { ExamineOptions } from '../doctor/examine.ts'
import { isSound } from '../doctor/finding.ts'
import type { Finding, Level } from '../doctor/finding.ts'
import { print, report } from '../lib/terminal.ts'

interface DoctorOptions extends ExamineOptions {
  readonly strict?: true
  readonly json?: true
}

/** Creates the command `latchkey doctor`. */
export function doctorCommand(setCode: (code: number) => void): Command {
  return new Command('doctor')
    .description('Try the settings: what is wrong, what is weak, and what to do about it.')
    .option('--env <file>', 'read variables from this file (default: .env, .env.local, .dev.vars)')
    .option(
      '--config <file>',
      'the module that calls createAuth (default: src/auth.ts, auth.ts, …)',
    )
    .option('--url <url>', 'the URL of a running service (default: SERVICE_URL)')
    .option('--offline', 'send nothing over the network')
    .option('--strict', 'weak settings fail too')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      const { findings, sources } = await examine(process.cwd(), options)
      report(sources)
      if (options.json) print(JSON.stringify(findings, null, 2))
      else for (const finding of findings) print(render(finding))
      if (!options.json) report(summarize(findings))
      setCode(isSound(findings, options.strict === true) ? 0 : 1)
    })
}

const help = `
It runs the module of your application that calls createAuth, so that "0 broken" means that the service
starts, and tries what it is configured with: discovery at each provider, the redirect URI as far as the
provider says, the client secret, the database and its migrations, the SMTP server, the clock, and the
running service behind its reverse proxy. Servers that the module starts do not listen, and its
migrations are not applied. If the module cannot be loaded, the report says why, and only the
variables are checked. It sends no email, and changes nothing.

  $ latchkey doctor
  $ latchkey doctor --url https://example.com           the deployment, through its proxy
  $ latchkey doctor --env production.env --strict       in CI, before a deployment
  $ latchkey doctor --config src/server/auth.ts

Exit codes: 0 sound, 1 something is broken (with --strict: or weak).`

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
