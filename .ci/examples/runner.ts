/**
 * Imports bundled examples, one after another, and fails with the message of each that throws. What examples declare, such
 * as `declare const auth: Auth`, is global here.
 */
import { Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { declared } from './declared.ts'

// Every server listens on a free port: the ports of the examples may be in use.
const listen = Reflect.get(Server.prototype, 'listen') as unknown as () => unknown
Server.prototype.listen = new Proxy(listen, {
  apply(target, server, [options, ...rest]: unknown[]): unknown {
    const free = typeof options === 'object' ? { ...options, port: 0 } : 0
    return Reflect.apply(target, server, [free, ...rest])
  },
}) as Server['listen']
Object.assign(globalThis, declared)

let problems = 'an example ends its process\n'
process.on('exit', () => {
  if (problems !== '') process.exitCode = 1
  process.stderr.write(problems)
})
let found = ''
for (const file of process.argv.slice(2)) {
  // An example that still waits then, such as a client of a service elsewhere, has begun without an error.
  const begun = Promise.race([import(pathToFileURL(file).href), setTimeout(1500)])
  await begun.catch((error: unknown) => (found += `${file}: ${inspect(error)}\n`))
}
problems = found
process.exit()
