import { Program, freePort } from './program.ts'

/** The demonstration, on free ports and with a database of its own. */
export interface Demo {
  readonly program: Program
  readonly origin: string
  readonly issuer: string
  readonly ports: Readonly<Record<'PORT' | 'IDP_PORT' | 'MAIL_PORT', string>>
}

/** Starts the demonstration, and waits until it says what to open. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<Demo> {
  const ports = {
    PORT: String(await freePort()),
    IDP_PORT: String(await freePort()),
    MAIL_PORT: String(await freePort()),
  }
  const program = new Program('demo/main.ts', { ...ports, AUTH_DATABASE: ':memory:', ...env })
  await program.printed(/Ctrl\+C/)
  return {
    program,
    origin: `http://localhost:${ports.PORT}`,
    issuer: `http://localhost:${ports.IDP_PORT}`,
    ports,
  }
}
