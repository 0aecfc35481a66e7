import type { ArtifactType } from './extract.types.ts'

interface Found {
  readonly type: ArtifactType
  readonly title: string
  readonly start: number
  readonly end: number
}

const artifactsMax = 100
const candidatesMax = 100
const nameMax = 100

const kindOfLine = (line: string): ArtifactType | null =>
  /^\s*\|.*\|\s*$/.test(line) ? 'TABLE' : /^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/.test(line) ? 'LIST' : null

const titleOf = (line: string): string => line.replace(/^[\s\-*+|`#]+|[\s|]+$/g, '').slice(0, nameMax)

/** Blocks of code between fences, tables with two or more lines, and lists with two or more items. */
export function artifactsIn(content: string): Found[] {
  const found: Found[] = []
  let open: { type: ArtifactType; start: number; first: string; lines: number } | null = null
  let start = 0
  const close = (end: number): void => {
    if (open && open.lines > 1) found.push({ type: open.type, title: titleOf(open.first), start: open.start, end })
    open = null
  }
  for (const line of content.split('\n')) {
    const isFence = /^\s*```/.test(line)
    const end = start + line.length
    if (open?.type === 'CODE') {
      open.lines += 1
      if (isFence) close(end)
    } else {
      const type = isFence ? 'CODE' : kindOfLine(line)
      if (open && open.type === type) open.lines += 1
      else {
        close(Math.max(start - 1, 0))
        if (type) open = { type, start, first: line, lines: 1 }
      }
    }
    start = end + 1
  }
  close(content.length)
  return found.slice(0, artifactsMax)
}

const suffix = String.raw`(?:Inc|LLC|Ltd|Limited|Corp|Corporation|Company|Co|PLC|plc|LLP|GmbH|AG|KG|SE|AS|ASA|AB|ApS|Oy|Oyj|BV|B\.V|NV|N\.V|SA|S\.A|SAS|SARL|SRL|S\.r\.l|SpA|S\.p\.A|Pty|Kft)`
const word = String.raw`\p{Lu}[\p{L}\p{N}&'’-]*`
const run = String.raw`${word}(?: (?:&|de|van|von)? ?${word}){0,5}`
// It begins at the beginning of a word, because trying it at each letter of a long word takes quadratic time.
const legal = new RegExp(String.raw`(?<![\p{L}\p{N}&'’-])(?:${word} |& ){1,6}${suffix}\b\.?`, 'gu')
const placed = new RegExp(String.raw`\b(?:at|from|with|for|by|of|to|bei|von|mit|chez|de) (${run})`, 'gu')
const capitalised = new RegExp(run, 'gu')

export interface Candidate {
  readonly name: string
  readonly index: number
  /** 0: only an account if it has this name. */
  readonly confidence: number
}

/** Names that may be those of companies, each once, in their order. */
export function candidatesIn(content: string): Candidate[] {
  const byName = new Map<string, Candidate>()
  const add = (text: string, index: number, confidence: number): void => {
    const name = text.trim().replace(/[’'-]+$/, '')
    const key = name.toLowerCase()
    if (name.length < 2 || name.length > nameMax || byName.size >= candidatesMax) return
    if ((byName.get(key)?.confidence ?? -1) < confidence) byName.set(key, { name, index, confidence })
  }
  for (const match of content.matchAll(legal)) add(match[0].replace(/\.$/, ''), match.index, 0.9)
  for (const match of content.matchAll(placed)) {
    const [whole, name] = match
    add(name!, match.index + whole.length - name!.length, 0.5)
  }
  for (const match of content.matchAll(capitalised)) {
    add(match[0], match.index, 0)
    // The first word of a sentence may not belong to the name.
    const rest = match[0].indexOf(' ')
    if (rest > 0) add(match[0].slice(rest + 1), match.index + rest + 1, 0)
  }
  const all = [...byName.values()].toSorted((one, other) => one.index - other.index)
  const isPart = ({ name }: Candidate, other: Candidate): boolean => other.name !== name && other.name.includes(name)
  const overlaps = (one: Candidate, other: Candidate): boolean =>
    isPart(one, other) || (one.confidence < 0.9 && isPart(other, one))
  return all.filter((one) => !all.some((other) => other.confidence >= 0.9 && overlaps(one, other)))
}
