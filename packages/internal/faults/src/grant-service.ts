/** One process with an authorization server, which is killed at a call of its storage. */
import { flushCompileCache } from 'node:module'
import { killAt } from '../../../authorization-server/test/support/kill-at.ts'
import { serveProcess } from '../../../authorization-server/test/support/process.ts'
import { openStorage } from './open-storage.ts'

const { DATABASE = '', DRIVER = '', KILL_AT = '' } = process.env

await serveProcess(killAt(await openStorage(DRIVER, DATABASE), Number(KILL_AT)))
// A killed process does not write it.
flushCompileCache()
