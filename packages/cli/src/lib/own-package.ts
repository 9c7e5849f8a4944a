import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readText } from './members.ts'

/** The folder of this package, in a checkout and as published. */
const folder = new URL('../../', import.meta.url)

/** Returns the version of this package, which all packages of Latchkey share. */
export function readOwnVersion(): string {
  const text = readFileSync(new URL('package.json', folder), 'utf8')
  return String(readText(JSON.parse(text), 'version'))
}

/** Returns the folder of a template's files. */
export function getTemplateFolder(name: string): string {
  return fileURLToPath(new URL(`templates/${name}/`, folder))
}
