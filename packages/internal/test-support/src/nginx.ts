import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getFreePort, reportMissing } from './servers.ts'
import { createServerFolder, startServer } from './system-program.ts'

/** The nginx of the system, whose path `NGINX` can give. */
const program: string = process.env['NGINX'] ?? '/usr/sbin/nginx'

/** An nginx that runs. */
export interface RunningNginx extends AsyncDisposable {
  readonly url: string
}

/** Returns whether nginx is installed. If it is not, it is reported as missing. */
export function hasNginx(): boolean {
  const exists = spawnSync(program, ['-v']).status === 0
  if (!exists) reportMissing(`nginx at ${program}`)
  return exists
}

/**
 * Starts nginx on a free port, in a folder that is removed at the end.
 *
 * @param server The directives of the block `server`, without `listen`
 * @param http Directives of the block `http`, such as `upstream`. Default: none
 * @throws {Error} with what nginx prints, if it refuses the directives
 */
export async function startNginx(server: string, http: string = ''): Promise<RunningNginx> {
  const folder = createServerFolder('nginx', {})
  const port = await getFreePort()
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const block = `access_log off; ${paths} ${http} server { listen 127.0.0.1:${port}; ${server}\n }`
  const globals = `daemon off; master_process off; pid ${folder}/pid; error_log stderr error;`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${globals} events {} http { ${block} }`)
  const args = ['-p', folder, '-c', file]
  const url = `http://127.0.0.1:${port}`
  const signal = 'SIGTERM'
  const { remove } = await startServer({ program, args, identity: {}, folder, port, url, signal })
  return { url, [Symbol.asyncDispose]: remove }
}
