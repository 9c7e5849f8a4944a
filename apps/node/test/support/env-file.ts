import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A file of variables that a test changes. */
export interface EnvFile {
  readonly path: string
  /** Replaces the content; a record is written as one variable in each line. */
  readonly write: (content: string | Readonly<Record<string, string>>) => void
}

/** Creates a file of variables, which is removed after the test. */
export function createEnvFile(variables: Readonly<Record<string, string>>): EnvFile {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'latchkey.env')
  const write: EnvFile['write'] = (content) => {
    const lines = typeof content === 'string' ? content : render(content)
    writeFileSync(path, lines, { mode: 0o600 })
  }
  write(variables)
  return { path, write }
}

function render(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
