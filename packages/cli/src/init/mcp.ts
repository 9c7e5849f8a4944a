import { editFile } from './project-file.ts'
import type { ProjectFile } from './project-file.ts'

/** Where `wrangler dev` serves the project: the URL of an authorization server is fixed. */
const PORT = 8787

/** Changes the files of a Worker that an MCP server shares with it; the files of `templates/mcp` replace others. */
export function addMcpServer(files: readonly ProjectFile[]): readonly ProjectFile[] {
  const url = '  readonly SERVICE_URL?: string\n'
  const main = '  "main": "src/worker.ts",\n'
  const withKeys = editFile(files, 'src/env.ts', [[url, `${url}  readonly TOKEN_KEYS?: string\n`]])
  // Anyone can choose the URL of a client's document: `fetch` must not reach the origin servers of the Worker's own zone.
  const flags = '  "compatibility_flags": ["global_fetch_strictly_public"],\n'
  const added = `${main}${flags}  "dev": { "port": ${PORT} },\n`
  return editFile(withKeys, 'wrangler.jsonc', [[main, added]])
}

/** The packages of an MCP server besides those of a Worker. */
export const mcpDependencies: Readonly<Record<string, string>> = {
  '@latchkey/account': 'latest',
  '@latchkey/authorization-server': 'latest',
  '@latchkey/passkeys': 'latest',
  '@latchkey/tokens': 'latest',
  '@modelcontextprotocol/server': '^2.4.0',
  zod: '^4.2.0',
}

/** Returns the variables of an MCP server in development. */
export function getMcpVariables(tokenKeys: string): Readonly<Record<string, string>> {
  return { SERVICE_URL: `http://localhost:${PORT}`, TOKEN_KEYS: tokenKeys }
}
