import { basename } from 'node:path'
import type { Template } from './project-file.ts'

/** Names that npm refuses, because it uses them itself. */
const reserved = ['node_modules', 'favicon.ico']

/** Cloudflare's limit for the name of a Worker: a label of a host name. */
const limits: Readonly<Partial<Record<Template, number>>> = { workers: 63 }

/** npm's limit. */
const LIMIT = 214

/**
 * Returns what is wrong with the name of a project, which is the `name` in package.json and on Workers the
 * name of the Worker; undefined if it can be used.
 */
export function describeNameProblem(name: string, template?: Template): string | undefined {
  const limit = (template && limits[template]) ?? LIMIT
  if (name.length > limit) return `must have at most ${limit} characters`
  if (reserved.includes(name)) return 'is reserved by npm'
  const allowed = template === 'workers' ? /^[a-z0-9]+(-[a-z0-9]+)*$/ : /^[a-z0-9][a-z0-9._-]*$/
  if (allowed.test(name)) return undefined
  const others = template === 'workers' ? '' : ', "." and "_"'
  return `must begin with a-z or 0-9, and have only lower case letters, digits, "-"${others}`
}

/** Returns a name for the project in a folder that has another one already. */
export function toProjectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  return name.replaceAll(/^-+|-+$/g, '').slice(0, 63) || 'my-app'
}
