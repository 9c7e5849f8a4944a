import { fileURLToPath } from 'node:url'
import { Program } from '@latchkey/test-support/program'
import { getFreePort } from '@latchkey/test-support/servers'

const folder = fileURLToPath(new URL('../..', import.meta.url))

type Ports = Readonly<Record<'PORT' | 'IDP_PORT' | 'MAIL_PORT', string>>

/** The demonstration on free ports, with its own database. */
export interface Demo {
  readonly program: Program
  readonly origin: string
  readonly issuer: string
  readonly ports: Ports
}

/** Starts the demonstration. */
export function runDemo(env: Readonly<Record<string, string>>): Program {
  return new Program(folder, 'src/main.ts', env)
}

/** Returns free ports for its servers. */
export async function getPorts(): Promise<Ports> {
  return {
    PORT: String(await getFreePort('localhost')),
    IDP_PORT: String(await getFreePort('localhost')),
    MAIL_PORT: String(await getFreePort('localhost')),
  }
}

/** Starts the demonstration, and waits until it prints its URLs. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<Demo> {
  const ports = await getPorts()
  const program = runDemo({ ...ports, AUTH_DATABASE: ':memory:', ...env })
  await program.waitForOutput(/Ctrl\+C/)
  return {
    program,
    origin: `http://localhost:${ports.PORT}`,
    issuer: `http://localhost:${ports.IDP_PORT}`,
    ports,
  }
}
