import { spawnSync } from 'node:child_process'
import { findProgram } from '@latchkey/test-support/system-program'
import { reportMissing } from '@latchkey/test-support/servers'

/** A program that makes hashes. */
export interface Tool {
  readonly name: string
  /** Returns the hash of a password; undefined if the program is missing, which is printed. */
  readonly hash: ((password: string) => string) | undefined
}

/** Runs a program that reads the password from its standard input, and returns what it prints. */
function run(path: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync(path, args, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${path} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout.trim()
}

/** The reference implementation of Argon2. */
export function argon2Tool(...args: readonly string[]): Tool {
  const path = findProgram('argon2', ['/usr/bin/argon2'])
  const all = ['saltsaltsaltsalt', ...args, '-e']
  return {
    name: ['argon2', ...all].join(' '),
    hash: path === undefined ? undefined : (password) => run(path, all, password),
  }
}

/** Apache's program for password files, which makes bcrypt. */
export function htpasswdTool(): Tool {
  const path = findProgram('htpasswd', ['/usr/bin/htpasswd'])
  const hash = (password: string): string =>
    run(path ?? '', ['-niBC', '5', 'x'], password).slice('x:'.length)
  return { name: 'htpasswd -niBC 5 x', hash: path === undefined ? undefined : hash }
}

/** A PHP program with a name for titles, in which `$password` is the password; it returns the hash. */
export function phpTool(name: string, expression: string): Tool {
  const path = findProgram('php', ['/usr/bin/php'])
  const code = `$password = stream_get_contents(STDIN); echo ${expression};`
  return {
    name,
    hash: path === undefined ? undefined : (password) => run(path, ['-r', code], password),
  }
}

/** A Python program with a name for titles, in which `password` is the password, and `result` the hash. */
export function pythonTool(name: string, module: string, code: string): Tool {
  const path = '/usr/bin/python3'
  const isInstalled = spawnSync(path, ['-c', `import ${module}`]).status === 0
  if (!isInstalled) reportMissing(`python3-${module}`)
  const program = `import sys; password = sys.stdin.buffer.read().decode(); ${code}; print(result)`
  return {
    name,
    hash: isInstalled ? (password) => run(path, ['-c', program], password) : undefined,
  }
}
