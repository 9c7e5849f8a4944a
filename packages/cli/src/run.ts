import { ConfigurationError } from '@latchkey/core'
import { Command, CommanderError } from 'commander'
import { doctorCommand } from './commands/doctor.ts'
import { initCommand } from './commands/init.ts'
import { keysCommand } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { providersCommand } from './commands/providers.ts'
import { secretCommand } from './commands/secret.ts'
import { CliError, UsageError } from './lib/cli-error.ts'
import { readOwnVersion } from './lib/own-package.ts'
import { report } from './lib/terminal.ts'

/**
 * Runs the command line.
 *
 * @param args The arguments after the name of the program, such as `['secret']`
 * @returns The exit code: 0 if the command did its work, 1 if it failed or `doctor` found a problem, 2
 *   if the command line cannot be used
 *
 * @example
 *   import { run } from '@latchkey/cli'
 *
 *   process.exitCode = await run(['init', 'my-app', '--template', 'hono'])
 */
export async function run(args: readonly string[]): Promise<number> {
  let code = 0
  try {
    await createProgram((result) => (code = result)).parseAsync(args, { from: 'user' })
    return code
  } catch (thrown) {
    return toExitCode(thrown)
  }
}

function createProgram(setCode: (code: number) => void): Command {
  const program = new Command('latchkey')
    .description('Sign-in for a web application: begin a project, and keep it sound.')
    .version(readOwnVersion(), '-v, --version')
    .showHelpAfterError('Run with --help to see what is possible.')
    .addHelpText('after', tour)
    .exitOverride()
  const commands = [
    initCommand(),
    secretCommand(),
    keysCommand(),
    migrateCommand(),
    doctorCommand(setCode),
    providersCommand(),
  ]
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program))
  return program
}

const tour = `
A first sign-in in four commands:
  $ npm create latchkey my-app
  $ cd my-app
  $ npm install
  $ npm run dev

Before you deploy:
  $ npx latchkey providers github    what to click at GitHub, and which variables to set
  $ npx latchkey doctor              what is wrong, and what is weak

Exit codes: 0 done, 1 failed or a problem was found, 2 the command line cannot be used.`

function toExitCode(thrown: unknown): number {
  // Commander has printed its message, or the help that was asked for.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
  const isExpected = thrown instanceof CliError || thrown instanceof ConfigurationError
  if (!isExpected && !(thrown instanceof UsageError)) throw thrown
  for (const line of thrown.message.split('\n')) report(`latchkey: ${line}`)
  return thrown instanceof UsageError ? 2 : 1
}
