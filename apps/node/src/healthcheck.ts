// Exits with 0 if the service of this environment answers: the HEALTHCHECK of the container.
import { loadEnvironment } from './environment.ts'

const { HOST: host = '', PORT: port = '' } = loadEnvironment(process.env)
const [name, number] = [String(host), String(port)]
const wildcards: Readonly<Record<string, string>> = {
  '': 'localhost',
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
}
const server = wildcards[name] ?? (name.includes(':') ? `[${name}]` : name)
const response = await fetch(`http://${server}:${number === '' ? 3000 : number}/healthz`, {
  signal: AbortSignal.timeout(3000),
}).catch((thrown: unknown) => console.error(String(thrown)))
process.exit(response?.status === 200 ? 0 : 1)
