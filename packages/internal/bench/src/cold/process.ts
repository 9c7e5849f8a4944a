import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import type { FirstAnswer } from './first-answer.ts'
import { createSeries } from './series.ts'
import type { ColdOptions, ColdSeries } from './series.ts'
import { checkAnswer, subjects } from './subjects.ts'
import type { FirstRequest, Subject } from './subjects.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('./first-answer.ts', import.meta.url))

/** The figures of a cold process. */
export type ProcessFigure = 'wall' | 'cpu' | 'callCpu'

/**
 * Measures the first answer of new processes of Node. Every Worker is bundled, as for a host that
 * starts a process on demand, so that the number of files does not matter.
 *
 * @throws Error if an answer is wrong
 */
export async function measureProcesses(options: ColdOptions): Promise<ColdSeries<ProcessFigure>> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cold-'))
  try {
    for (const subject of subjects) await bundleForNode(subject, folder)
    return await createSeries(options, (subject, request) => startProcess(subject, request, folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function startProcess(
  subject: Subject,
  request: FirstRequest,
  folder: string,
): Promise<Readonly<Record<ProcessFigure, number>>> {
  const file = pathToFileURL(toFile(subject, folder)).href
  const args = ['--no-warnings', program, file, subject.paths[request] ?? '']
  // A new machine has no compile cache.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
  const { stdout } = await run(process.execPath, args, { env })
  const { body, ...figures } = JSON.parse(stdout) as FirstAnswer
  checkAnswer(subject, request, body)
  return figures
}

async function bundleForNode(subject: Subject, folder: string): Promise<void> {
  await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: [subject.entryPoint],
    outfile: toFile(subject, folder),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'silent',
  })
}

function toFile({ name }: Subject, folder: string): string {
  return join(folder, `${name}.mjs`)
}
