/** A text to summarize: its title, and its passages in the order in which they were written. */
export interface Summarizable {
  readonly title: string
  readonly passages: readonly string[]
}

export interface ExtractiveSummary {
  readonly summary: string
  readonly keyPoints: readonly string[]
  readonly model: string
}

const sentencesMax = 3
const keyPointsMax = 5
/** Longer sentences are cut. */
const sentenceLengthMax = 500
const commonWords = new Set(
  'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our so than that the their them then there they this to was we were what when which will with would you your'.split(
    ' ',
  ),
)

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => !commonWords.has(word))

const shortened = (sentence: string): string =>
  sentence.length <= sentenceLengthMax ? sentence : `${sentence.slice(0, sentenceLengthMax).toWellFormed()}…`

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/u)
    .map((sentence) => shortened(sentence.replace(/\s+/gu, ' ').trim()))
    .filter((sentence) => sentence.length > 0)
}

/** Sentences by descending score: the frequency of their words in the text; words of the title count double. */
function ranked({ title, passages }: Summarizable): { sentence: string; position: number; score: number }[] {
  const sentences = [...new Set(passages.flatMap(sentencesOf))]
  const frequency = new Map<string, number>()
  for (const word of [...wordsOf(title), ...sentences.flatMap(wordsOf)])
    frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const titleWords = new Set(wordsOf(title))
  const score = (sentence: string): number => {
    const words = [...new Set(wordsOf(sentence))]
    const weight = words.reduce((sum, word) => sum + (frequency.get(word) ?? 0) * (titleWords.has(word) ? 2 : 1), 0)
    return words.length === 0 ? 0 : weight / Math.sqrt(words.length)
  }
  return sentences
    .map((sentence, position) => ({ sentence, position, score: score(sentence) }))
    .sort((a, b) => b.score - a.score || a.position - b.position)
}

/** Deterministic: the same text always gives the same summary. */
export function summaryOf(text: Summarizable): ExtractiveSummary {
  const best = ranked(text)
  const chosen = best.slice(0, sentencesMax).sort((a, b) => a.position - b.position)
  return {
    summary: [`${text.title.replace(/[.!?\s]+$/u, '')}.`, ...chosen.map(({ sentence }) => sentence)].join(' '),
    keyPoints: best.slice(0, keyPointsMax).map(({ sentence }) => sentence),
    model: 'extractive-1',
  }
}
