import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Block } from './blocks.ts'

interface Manifest {
  readonly name: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifests = new Map(
  [
    'package.json',
    ...globSync('{packages,packages/internal,apps,apps/recipes}/*/package.json'),
  ].map((path) => [dirname(path), JSON.parse(readFileSync(path, 'utf8')) as Manifest]),
)

/** Programs of the system, which a reader has or installs. */
const systemPrograms = new Set(
  (
    'cat cd command cp curl cut docker echo export git install journalctl jq kill local mktemp mysql openssl pidof ' +
    'printf psql sh systemctl systemd-sysusers umask'
  ).split(' '),
)

/** Commands of pnpm itself that documents use. */
const pnpmCommands: readonly string[] = ['add', 'exec', 'install', 'run']

/** Programs that need no network and change nothing but the folder that they run in. */
const harmless = /^(export|openssl|printf|echo|mktemp) /

/** Checks commands: their syntax, and that programs, scripts, packages and files exist. Those that are offline run. */
export function checkShell(block: Block): string[] {
  const { text } = block
  const syntax = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
  if (syntax.status !== 0) return [syntax.stderr.trim()]
  const functions = [...text.matchAll(/^(\w+)\(\)/gm)].map(([, name = '']) => name)
  return [
    ...listCommands(text)
      .filter(([program = '']) => !functions.includes(program))
      .flatMap((words) => checkCommand(words, block)),
    ...checkInstalled(block),
    ...runHarmless(text),
    ...runScripts(text),
  ]
}

/** An application starts in a fresh clone if its README says first how it is installed. */
function checkInstalled({ file, line, text }: Block): string[] {
  const [, script] = /pnpm@12 --filter @latchkey\/app-\S+ (\w+)/.exec(text) ?? []
  if (!/^apps\/[^/]+\/README\.md$/.test(file) || script === undefined) return []
  const before = readFileSync(file, 'utf8').split('\n').slice(0, line)
  const isInstalled = `${before.join('\n')}\n${text}`.includes('pnpm@12 install')
  return isInstalled
    ? []
    : [`the script ${script} needs an installation, which no command before does`]
}

/** Splits a script into commands, each a list of words, without comments, assignments and functions. */
function listCommands(script: string): string[][] {
  return script
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/(^|\s)#.*$/gm, '$1')
    .replaceAll(/"[^"$]*"|'[^']*'/g, (text) => text.replaceAll(/[\s|;&()]/g, '_'))
    .replaceAll(/^\w+\(\) \{(.*)\}$/gm, '$1')
    .split(/\n|&&|\|\||\||;|\$\(|\)/)
    .map((command) =>
      command
        .trim()
        .replace(/^(\w+=\S*\s*)+/, '')
        .split(/\s+/),
    )
    .filter(([program = '']) => /^[a-z][\w.-]*$/.test(program))
}

function checkCommand(words: readonly string[], block: Block): string[] {
  const [program = '', ...args] = words
  if (program === 'sudo') return checkCommand(args, block)
  if (program === 'npx' || program === 'pnpm') return checkPnpm(words, block)
  if (program === 'npm') return checkNpm(args)
  if (program === 'wrangler') return checkWrangler(args)
  if (program === 'latchkey') return checkLatchkey(args)
  if (program === 'node' && args[0] === '-e') return []
  if (program === 'node')
    return checkFile(args.filter((arg) => !arg.startsWith('-'))[0] ?? '', block)
  if (program === 'cp') return checkFile(args[0] ?? '', block)
  return systemPrograms.has(program) ? [] : [`the program ${program} is not known`]
}

/** `pnpm …`, `npx -y pnpm@12 …`, `npx wrangler …`. */
function checkPnpm(words: readonly string[], block: Block): string[] {
  const rest = words.slice(1).filter((word) => word !== '-y')
  if (words[0] === 'npx') {
    const program = rest.shift()
    if (program === 'wrangler') return checkWrangler(rest)
    if (program === 'latchkey' || program === '@latchkey/cli') return checkLatchkey(rest)
    if (program !== 'pnpm@12') return [`npx ${program} is not known`]
  }
  const [option, filter = ''] = rest
  const script = (option === '--filter' ? rest[2] : rest[0]) ?? ''
  const manifest = [...manifests.values()].find(({ name }) =>
    option === '--filter' ? name === filter : name === 'latchkey',
  )
  if (!manifest) return [`no package is called ${filter}`]
  const isKnown = script in (manifest.scripts ?? {}) || pnpmCommands.includes(script)
  return isKnown || script === '…'
    ? []
    : [`${manifest.name} has no script ${script} (${block.file})`]
}

/** Packages that a reader may choose: the workspace uses neither. */
const choices = new Set(['@opentelemetry/sdk-node', '@opentelemetry/exporter-trace-otlp-proto'])

/** Every package that a reader installs is one of the workspace, or one that the workspace uses itself. */
function checkNpm([command, ...args]: readonly string[]): string[] {
  if (command === 'create') return []
  if (command === 'run') return checkTemplateScript(args[0] ?? '')
  if (command !== 'install') return [`npm ${command} is not known`]
  const known = new Set(
    [...manifests.values()].flatMap(({ name, dependencies, devDependencies }) => [
      name,
      ...Object.keys({ ...dependencies, ...devDependencies }),
    ]),
  )
  return args
    .filter((name) => !name.startsWith('--') && !known.has(name) && !choices.has(name))
    .map((name) => `no package of the workspace uses ${name}`)
}

/** A script of a project that `latchkey init` writes: every template has it. */
function checkTemplateScript(script: string): string[] {
  const paths = globSync('packages/cli/templates/*/package.json')
  return paths
    .filter((path) => {
      const { scripts = {} } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
      return !(script in scripts)
    })
    .map((path) => `${path} has no script ${script}`)
}

const helpTexts = new Map<string, string>()

/** Asks wrangler for the help of a command: it lists the options that exist. */
function checkWrangler(args: readonly string[]): string[] {
  const end = args.findIndex((arg) => !/^[a-z][a-z0-9-]*$/.test(arg))
  const command = args
    .slice(0, end === -1 ? undefined : end)
    .slice(0, args[1] === 'migrations' ? 3 : 2)
  return checkHelp('wrangler', command, args, askWrangler)
}

/** Asks the command line of this repository. */
function checkLatchkey(args: readonly string[]): string[] {
  // The commands that have commands themselves.
  const depth = args[0] === 'factors' || args[0] === 'import' ? 2 : 1
  return checkHelp('latchkey', args.slice(0, depth), args, askLatchkey)
}

/** The help of a command lists the options that exist. */
function checkHelp(
  program: string,
  command: readonly string[],
  args: readonly string[],
  ask: (command: readonly string[]) => string,
): string[] {
  const name = [program, ...command].join(' ')
  const help = helpTexts.get(name) ?? ask(command)
  helpTexts.set(name, help)
  if (!help.includes(name)) return [`there is no command ${name}`]
  const options = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.replace(/[=:].*/, ''))
  return options
    .filter((option) => !help.includes(option))
    .map((option) => `${name} has no option ${option}`)
}

function askLatchkey(command: readonly string[]): string {
  const args = ['packages/cli/src/main.ts', ...command, '--help']
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout
}

function askWrangler(command: readonly string[]): string {
  const folder = 'apps/cloudflare-workers'
  const args = ['--dir', folder, 'exec', 'wrangler', ...command, '--help']
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: 'false',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  }
  return spawnSync('pnpm', args, { encoding: 'utf8', env }).stdout
}

/** A file of the repository, of the package whose README it is, or of the document itself. */
function checkFile(path: string, { file, text }: Block): string[] {
  const isShown = readFileSync(file, 'utf8').includes(`\`${path}\`:`)
  const isFound = [path, join(dirname(file), path)].some((candidate) => existsSync(candidate))
  return isShown || isFound || text.includes(`> ${path}`) ? [] : [`${path} does not exist`]
}

/** Runs the commands that need neither a network nor a file, in a folder that is removed. */
function runHarmless(script: string): string[] {
  const lines = script
    .split('\n')
    .filter((line) => harmless.test(line) && !line.includes('$('.repeat(2)))
  const own = lines.filter((line) => !/\$\{?(?!\()\w/.test(line))
  if (own.length === 0) return []
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-example-'))
  try {
    execFileSync('bash', ['-euc', own.join('\n')], { cwd: folder, stdio: 'pipe' })
    return []
  } catch (thrown) {
    return [`cannot be run: ${String((thrown as { readonly stderr: Buffer }).stderr)}`]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs what is written for `node -e`, where every package of the workspace resolves. */
function runScripts(script: string): string[] {
  return [...script.matchAll(/^node -e .*$/gm)].flatMap(([command]) => {
    const options = { cwd: 'packages/internal/hosts', encoding: 'utf8' } as const
    const { status, stderr } = spawnSync('bash', ['-euc', command], options)
    return status === 0 ? [] : [`cannot be run: ${stderr}`]
  })
}
