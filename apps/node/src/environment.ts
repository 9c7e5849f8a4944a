import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigurationError } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import {
  EnvironmentError,
  loadProviders,
  readClientIpHeader,
  readConfig,
  readDatabase,
  readEmail,
  readEnvironment,
  readLogSettings,
  readOperation,
  readPort,
  readText,
} from '@latchkey/environment'
import type {
  ConfiguredProvider,
  Environment,
  LogSettings,
  OperationSettings,
  ServiceConfig,
  Variables,
} from '@latchkey/environment'
import { providers } from '@latchkey/environment/providers'
import { smtp } from '@latchkey/mail/smtp'

/** The settings of the service. */
export interface Settings {
  readonly config: ServiceConfig
  /** The host name or IP address to listen on. */
  readonly host: string
  readonly port: number
  /** Where users are stored; undefined if nothing is stored. */
  readonly database: string | undefined
  /** The header in which a reverse proxy sends the client's IP address; undefined without a proxy. */
  readonly clientIpHeader: string | undefined
  readonly operation: OperationSettings
}

const DATABASE = 'latchkey.sqlite'

/**
 * Returns the variables of the process, and of the file that `AUTH_ENV_FILE` names: as with `--env-file`
 * of Node, a variable of the process takes precedence.
 *
 * @throws EnvironmentError `AUTH_ENV_FILE` if the file cannot be read
 */
export function loadEnvironment(env: Environment): Environment {
  const { AUTH_ENV_FILE: file } = env
  if (typeof file !== 'string' || file === '') return env
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...env }
  } catch (thrown) {
    const { code = 'unknown error' }: NodeJS.ErrnoException = Object(thrown)
    const problem = `the file ${file} cannot be read (${code})`
    throw new EnvironmentError([{ variable: 'AUTH_ENV_FILE', problem }])
  }
}

/** Reads how to log, as far as it can be read: problems are logged too. */
export function readLog(env: Environment): LogSettings {
  const fallback: LogSettings = { format: 'text', level: 'info' }
  try {
    return readEnvironment(loadEnvironment(env), readLogSettings, { allowUnknown: true })
  } catch {
    return fallback
  }
}

/**
 * Reads the environment of the service.
 *
 * @throws EnvironmentError that lists every problem by the name of its variable
 */
export async function readSettings(env: Environment): Promise<Settings> {
  const rows = await loadProviders(env, providers)
  return readEnvironment(env, (variables) => {
    const config = readConfig(variables, { providers: rows, email: readSmtpEmail(variables) })
    const database = readDatabase(variables, config) ?? DATABASE
    return {
      config,
      host: readText(variables, 'HOST') ?? 'localhost',
      port: readPort(variables, 'PORT', 3000),
      database: database === 'none' ? undefined : database,
      clientIpHeader: readClientIpHeader(variables),
      operation: readOperation(variables),
    }
  })
}

function readSmtpEmail(variables: Variables): ConfiguredProvider | undefined {
  const server = readText(variables, 'AUTH_EMAIL_SERVER')
  return readEmail(variables, {
    variable: 'AUTH_EMAIL_SERVER',
    isRequested: server !== undefined,
    createMailer: () => createMailer(server),
  })
}

function createMailer(server: string | undefined): Mailer {
  if (server !== undefined) return nameParts(() => smtp(server))
  const problem = 'is missing: set it to the SMTP server, such as smtp://user:password@host:587'
  throw new ConfigurationError('AUTH_EMAIL_SERVER', problem)
}

/** The parts of the URL by the options that they set. */
const parts: Readonly<Record<string, string>> = {
  'smtp.host': 'host',
  'smtp.auth.user': 'user',
  'smtp.auth.pass': 'password',
}

/** Names the part of the URL, since the variable sets several options. */
function nameParts(create: () => Mailer): Mailer {
  try {
    return create()
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    const part = parts[thrown.option]
    if (part === undefined) throw thrown
    throw new ConfigurationError('AUTH_EMAIL_SERVER', `its ${part} ${thrown.problem}`)
  }
}
