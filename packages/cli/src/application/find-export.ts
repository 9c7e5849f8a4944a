import { createAuth } from '@latchkey/core'
import type { AuthConfig } from '@latchkey/core'
import type { Environment } from '@latchkey/environment'
import { CliError } from '../lib/cli-error.ts'
import { isObject } from '../lib/members.ts'
import { findConfig } from '@latchkey/core/unstable'

/** The options of `createAuth` that are examined. Its callbacks are not called, whatever they take. */
export type ServiceOptions = Pick<
  AuthConfig,
  'secret' | 'serviceUrl' | 'trustHost' | 'providers' | 'storage' | 'use'
>

/** Functions that create the service from an environment, as Workers have them. */
const creator =
  /^(?:default|(?:get|create|make|build|init)?(?:auth|latchkey|service)(?:config|options|service)?)$/i

/**
 * Returns the configuration of the service that a module exports: what `createAuth` or `createNextAuth` returned,
 * under any name; a function such as `createAuth(env)` or `getAuth(env)`; or the options of `createAuth`.
 *
 * @param env What a function is called with
 * @throws CliError if the module exports none of them; whatever the function or `createAuth` throws
 */
export async function findExportedConfig(
  module: unknown,
  file: string,
  env: Environment,
): Promise<ServiceOptions> {
  const exported = isObject(module) ? Object.entries(module) : []
  for (const [, value] of exported) {
    const config = await readConfig(value)
    if (config) return config
  }
  const functions = exported.flatMap(([name, value]) =>
    typeof value === 'function' && creator.test(name) ? [{ name, create: toFunction(value) }] : [],
  )
  for (const { create } of functions) {
    const config = await readConfig(await create(env))
    if (config) return config
  }
  const names = exported.map(([name]) => name).join(', ') || 'nothing'
  throw new CliError(
    `${file} exports ${names}: expected auth, which createAuth returned, a function getAuth(env) that returns it, or its options as config`,
  )
}

/** Returns the configuration of a value, and the value of its member `auth`, which is created with others. */
async function readConfig(value: unknown): Promise<ServiceOptions | undefined> {
  const candidates = isObject(value) ? [value, value['auth'], value['handlers']] : [value]
  for (const candidate of candidates) {
    const config = await findConfig(candidate)
    if (config) return config
  }
  if (!isConfig(value)) return undefined
  createAuth(value)
  return value
}

/** Options of `createAuth`, which checks everything else. */
function isConfig(value: unknown): value is AuthConfig {
  return isObject(value) && 'providers' in value && 'secret' in value && !('basePath' in value)
}

function toFunction(value: unknown): (env: Environment) => unknown {
  return (env) => Reflect.apply(Object(value), undefined, [env])
}
