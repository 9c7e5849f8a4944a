/** Expands the lines `<!--@code: path/{a,b}.ts-->` of the pages to files that tests run, such as differences and sources. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'

const line = /^<!--@code: (\S*)\{(\S+)\}(\S*)-->$/gm

/**
 * Returns a page with its groups of files, each file below its name in the braces.
 *
 * @param page The path of the page in the folder
 * @throws Error if a file is missing
 */
export function expandCode(text: string, folder: string, page: string): string {
  return text.replaceAll(line, (_, before: string, names: string, after: string) => {
    const blocks = names.split(',').map((name) => {
      const file = resolve(folder, dirname(page), before + name + after)
      if (!existsSync(file)) throw new Error(`${page}: ${before}${name}${after} does not exist`)
      return `\`\`\`${extname(file).slice(1)} [${name}]\n${readFileSync(file, 'utf8')}\`\`\``
    })
    return ['::: code-group', ...blocks, ':::'].join('\n\n')
  })
}
