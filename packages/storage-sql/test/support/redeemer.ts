/** One process with an authorization server, configured by environment variables. */
import { serveProcess } from '../../../authorization-server/test/support/process.ts'
import { openShared } from './open-shared.ts'

const { DATABASE = '', DIALECT = '', PREFIX = '' } = process.env

const storage = openShared[DIALECT]?.(DATABASE, PREFIX)
if (!storage) throw new Error(`expected a dialect, found ${DIALECT}`)
await serveProcess(storage)
