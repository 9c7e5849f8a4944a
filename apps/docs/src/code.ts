/** Expands the lines `<!--@diff: path-->` of the pages to the differences that tests apply to new projects. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const line = /^<!--@diff: (\S+) (\S+)-->$/gm

/**
 * Returns a page with its differences, each below its title in a group of code.
 *
 * @param page The path of the page in the folder
 * @throws Error if a file is missing
 */
export function expandDiffs(text: string, folder: string, page: string): string {
  return text.replaceAll(line, (_, path: string, title: string) => {
    const file = resolve(folder, dirname(page), path)
    if (!existsSync(file)) throw new Error(`${page}: ${path} does not exist`)
    return `\`\`\`diff [${title}]\n${readFileSync(file, 'utf8')}\`\`\``
  })
}
