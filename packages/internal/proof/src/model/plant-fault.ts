import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { mutate } from '../mutants/mutate.ts'
import type { Fault } from './faults.ts'

/**
 * Makes Node load a file with a fault in it, from now on: no file is written.
 *
 * @param root The folder of the repository
 * @throws Error if the file does not have the text exactly once
 */
export function plantFault(fault: Fault, root: string): void {
  const path = resolve(root, fault.file)
  const source = mutate(readFileSync(path, 'utf8'), fault)
  const { href } = pathToFileURL(path)
  registerHooks({
    load: (url, context, load) =>
      url === href
        ? { format: 'module-typescript', source, shortCircuit: true }
        : load(url, context),
  })
}
