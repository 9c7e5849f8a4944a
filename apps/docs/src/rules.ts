/** Lists the numbers of INTERFACE.md, each with the numbers of its sentences: `I-38` and `I-38.2`. */
export function listRules(markdown: string): ReadonlySet<string> {
  const found = new Set<string>()
  let number = ''
  for (const line of markdown.split('\n')) {
    number = /^- \*\*(I-\d+)\*\*/.exec(line)?.[1] ?? (/^\S/.test(line) ? '' : number)
    const [, sentence] = /^ {2}(\d+)\. /.exec(line) ?? []
    if (number !== '') found.add(sentence === undefined ? number : `${number}.${sentence}`)
  }
  return found
}
