import { ConfigurationError } from '@latchkey/core'
import type { Mailer } from '@latchkey/core'
import {
  loadProviders,
  readClientIpHeader,
  readConfig,
  readDatabase,
  readEmail,
  readEnvironment,
  readPort,
  readText,
} from '@latchkey/environment'
import type {
  ConfiguredProvider,
  Environment,
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
}

const DATABASE = 'latchkey.sqlite'

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
    const part = thrown instanceof ConfigurationError ? parts[thrown.option] : undefined
    if (part === undefined) throw thrown
    const { problem } = thrown as ConfigurationError
    throw new ConfigurationError('AUTH_EMAIL_SERVER', `its ${part} ${problem}`)
  }
}
