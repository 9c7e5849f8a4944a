import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import {
  EnvironmentError,
  loadProviders,
  nameVariables,
  readClientIpHeader,
  readConfig,
  readEmail,
  readEnvironment,
  readOperation,
  readText,
} from '@latchkey/environment'
import type { Environment, ServiceConfig, Variables } from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { getVariable } from '../lib/env-file.ts'
import { broken } from './finding.ts'
import type { Finding } from './finding.ts'
import { getFix } from './fixes.ts'

/** What a service reads from its environment, as far as it can be read. */
export interface Settings {
  readonly config: ServiceConfig
  readonly env: Environment
  /** The problems of variables. */
  readonly findings: readonly Finding[]
}

/** Reads the variables as a service does, and continues after problems. */
export async function readSettings(env: Environment): Promise<Settings> {
  const rows = await loadProviders(env, providers)
  let config: ServiceConfig = { secret: [], serviceUrl: undefined, trustHost: false, providers: [] }
  const read = (variables: Variables): void => {
    for (const name of otherVariables) readText(variables, name)
    readClientIpHeader(variables)
    readOperation(variables)
    config = readConfig(variables, { providers: rows, email: readEmailSettings(variables) })
  }
  try {
    readEnvironment(env, read)
    return { config, env, findings: tryStart(config, env) }
  } catch (thrown) {
    if (!(thrown instanceof EnvironmentError)) throw thrown
    // No service can be tried under an invalid URL: the others are tried as on this machine.
    const hasUrl = thrown.problems.every(({ variable }) => variable !== 'SERVICE_URL')
    const usable = hasUrl ? config : { ...config, serviceUrl: undefined }
    return { config: usable, env, findings: thrown.problems.map(toFinding) }
  }
}

/** Creates the service: some settings are wrong only together, such as an origin of another site. */
function tryStart(config: ServiceConfig, env: Environment): readonly Finding[] {
  const storage = getVariable(env, 'AUTH_DATABASE') === 'none' ? {} : { storage: memoryStorage() }
  try {
    nameVariables(() => createAuth({ ...config, ...storage }))
    return []
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    return [toFinding({ variable: thrown.option, problem: thrown.problem })]
  }
}

/** Variables that separate checks read. */
const otherVariables = ['AUTH_DATABASE', 'AUTH_EMAIL_SERVER'] as const

function readEmailSettings(variables: Variables): ReturnType<typeof readEmail> {
  return readEmail(variables, {
    variable: 'AUTH_EMAIL_SERVER',
    isRequested: variables.isSet('AUTH_EMAIL_SERVER'),
    createMailer: () => unusedMailer,
  })
}

/** No check sends an email. */
const unusedMailer: Mailer = { send: () => Promise.reject(new Error('no email is sent')) }

function toFinding({ variable, problem }: { variable: string; problem: string }): Finding {
  return broken(variable, problem, getFix(variable, problem))
}
