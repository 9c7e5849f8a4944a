import { Command, CommanderError } from 'commander'
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
    const commands = await loadCommands(args[0], (result) => (code = result))
    await createProgram(commands).parseAsync(args, { from: 'user' })
    return code
  } catch (thrown) {
    return toExitCode(thrown)
  }
}

type SetCode = (code: number) => void

/** The commands in the order of the help text. */
const loaders: ReadonlyMap<string, (setCode: SetCode) => Promise<Command>> = new Map([
  ['init', async () => (await import('./commands/init.ts')).initCommand()],
  ['secret', async () => (await import('./commands/secret.ts')).secretCommand()],
  ['keys', async () => (await import('./commands/keys.ts')).keysCommand()],
  ['migrate', async () => (await import('./commands/migrate.ts')).migrateCommand()],
  ['sweep', async () => (await import('./commands/sweep.ts')).sweepCommand()],
  [
    'factors',
    async (setCode: SetCode) => (await import('./commands/factors.ts')).factorsCommand(setCode),
  ],
  [
    'import',
    async (setCode: SetCode) => (await import('./commands/import.ts')).importCommand(setCode),
  ],
  [
    'doctor',
    async (setCode: SetCode) => (await import('./commands/doctor.ts')).doctorCommand(setCode),
  ],
  ['providers', async () => (await import('./commands/providers.ts')).providersCommand()],
])

/** Loads the named command, or all of them: most commands take less time than loading the others. */
async function loadCommands(name: string | undefined, setCode: SetCode): Promise<Command[]> {
  const named = loaders.get(name ?? '')
  const needed = named ? [named] : [...loaders.values()]
  return Promise.all(needed.map((load) => load(setCode)))
}

function createProgram(commands: readonly Command[]): Command {
  const program = new Command('latchkey')
    .description('Sign-in for a web application: begin a project, and keep it sound.')
    .version(readOwnVersion(), '-v, --version')
    .showHelpAfterError('Run with --help to see what is possible.')
    .addHelpText('after', tour)
    .exitOverride()
  for (const command of commands) {
    program.addCommand(command.copyInheritedSettings(program))
    for (const part of command.commands) part.copyInheritedSettings(command)
  }
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

async function toExitCode(thrown: unknown): Promise<number> {
  // Commander has printed its message, or the help that was asked for.
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
  const { ConfigurationError } = await import('@latchkey/core')
  const isExpected = thrown instanceof CliError || thrown instanceof ConfigurationError
  if (!isExpected && !(thrown instanceof UsageError)) throw thrown
  for (const line of thrown.message.split('\n')) report(`latchkey: ${line}`)
  return thrown instanceof UsageError ? 2 : 1
}
