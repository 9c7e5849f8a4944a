import type { DatabaseKind, Template } from './project-file.ts'

/** What differs between the databases. */
interface DatabaseFacts {
  readonly label: string
  readonly hint?: string
  /** Packages besides `@latchkey/storage-sql`, with their versions. */
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  /** `AUTH_DATABASE` of a new project; undefined if none is needed. */
  readonly url?: (name: string) => string
}

/** The databases, in the order in which they are offered. */
export const databases: Readonly<Record<DatabaseKind, DatabaseFacts>> = {
  d1: { label: 'D1', dependencies: {}, devDependencies: {} },
  sqlite: {
    label: 'SQLite',
    hint: 'a file, and nothing to install',
    dependencies: {},
    devDependencies: {},
  },
  postgres: {
    label: 'PostgreSQL',
    dependencies: { pg: '^8.23.1' },
    devDependencies: { '@types/pg': '^8' },
    url: (name) => `postgres://postgres:postgres@127.0.0.1:5432/${name}`,
  },
  mysql: {
    label: 'MySQL or MariaDB',
    dependencies: { mysql2: '^3.24.5' },
    devDependencies: {},
    url: (name) => `mysql://root:root@127.0.0.1:3306/${name}`,
  },
  none: {
    label: 'None',
    hint: 'sessions in cookies, and no sign-in by email',
    dependencies: {},
    devDependencies: {},
  },
}

/** Returns the databases of a template: the default first. */
export function getDatabases(template: Template): readonly DatabaseKind[] {
  return template === 'workers' ? ['d1', 'none'] : ['sqlite', 'postgres', 'mysql', 'none']
}
