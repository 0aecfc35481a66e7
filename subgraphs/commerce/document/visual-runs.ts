import bidiFactory from 'bidi-js'
import { fontFor, type FontName, type Style } from './fonts.ts'

/** Text that is drawn at once, from left to right: one font, one direction. */
export interface Run {
  readonly text: string
  readonly font: FontName
}

/** The part of the algorithm that is used; the package declares its module with another shape than it has. */
interface Bidi {
  getEmbeddingLevels(text: string, direction: 'ltr'): { readonly levels: Uint8Array }
  getMirroredCharacter(character: string): string | null
  getReorderSegments(text: string, embedding: { readonly levels: Uint8Array }): [start: number, end: number][]
}

const bidi = (bidiFactory as unknown as () => Bidi)()
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const combining = /^(?:\p{M}|\u200d)/u

/** The characters of a line, each with its marks, in the order in which they are read. */
function fontsOf(line: string, style: Style): { text: string; font: FontName; at: number }[] {
  const clusters: { text: string; font: FontName; at: number }[] = []
  let at = 0
  for (const character of line) {
    const last = clusters.at(-1)
    if (last && combining.test(character)) last.text += character
    else clusters.push({ text: character, font: character === ' ' && last ? last.font : fontFor(character, style), at })
    at += character.length
  }
  return clusters
}

function joined(clusters: readonly { readonly text: string; readonly font: FontName }[]): Run[] {
  const runs: { text: string; font: FontName }[] = []
  for (const { text, font } of clusters) {
    const last = runs.at(-1)
    if (last?.font === font) last.text += text
    else runs.push({ text, font })
  }
  return runs
}

/**
 * The runs of a line from left to right. Words in a right-to-left script are ordered by the Unicode Bidirectional Algorithm; each
 * is one run in reading order, because the font shapes and reverses it.
 */
export function visualRuns(line: string, style: Style): Run[] {
  const clusters = fontsOf(line, style)
  if (!rightToLeft.test(line)) return joined(clusters)
  const embedding = bidi.getEmbeddingLevels(line, 'ltr')
  const visual = clusters.map((cluster) => {
    const isReversed = (embedding.levels[cluster.at]! & 1) === 1
    // An opening bracket is a closing one when it is read from the right.
    const text = (isReversed && bidi.getMirroredCharacter(cluster.text)) || cluster.text
    return { ...cluster, text, isReversed }
  })
  const indexOf = new Map(clusters.map(({ at }, index) => [at, index]))
  for (const [start, end] of bidi.getReorderSegments(line, embedding)) {
    const first = indexOf.get(start)
    if (first === undefined) continue
    let last = first
    while (last + 1 < clusters.length && clusters[last + 1]!.at <= end) last += 1
    visual.splice(first, last - first + 1, ...visual.slice(first, last + 1).toReversed())
  }
  const runs: Run[] = []
  let word: typeof visual = []
  const flush = (): void => {
    if (word.length > 0) runs.push(...joined(word[0]!.isReversed ? word.toReversed() : word))
    word = []
  }
  for (const cluster of visual) {
    const isBreak = cluster.text === ' ' && cluster.isReversed
    if (isBreak || (word.length > 0 && word[0]!.isReversed !== cluster.isReversed)) flush()
    word.push(cluster)
    if (isBreak) flush()
  }
  flush()
  return runs
}
