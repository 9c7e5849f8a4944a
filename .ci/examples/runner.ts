/**
 * Imports bundled examples, one after another, and prints a line of JSON for each: the message that it
 * throws, or null. What examples declare, such as `declare const auth: Auth`, is global here.
 */
import { Server } from 'node:net'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { declared } from './declared.ts'

/** After this time an example that waits, such as a client of a service elsewhere, has begun without an error. */
const PATIENCE_MS = 1500

// Every server listens on a free port: the ports of the examples may be in use.
const listen: unknown = Reflect.get(Server.prototype, 'listen')
if (typeof listen !== 'function') throw new TypeError('node:net has no Server.listen')
Server.prototype.listen = new Proxy(listen, {
  apply(target, server, [options, ...rest]: unknown[]): unknown {
    const free = typeof options === 'object' ? { ...options, port: 0 } : 0
    return Reflect.apply(target, server, [free, ...rest])
  },
}) as Server['listen']
Object.assign(globalThis, declared)

for (const file of process.argv.slice(2)) {
  const message = await importExample(file)
  process.stdout.write(`example: ${JSON.stringify(message)}\n`)
}
process.exit(0)

async function importExample(file: string): Promise<string | null> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  try {
    await Promise.race([import(pathToFileURL(file).href), patience])
    return null
  } catch (thrown) {
    return inspect(thrown)
  }
}
