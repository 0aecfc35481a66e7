const quoteMax = 400

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The beginning of a word, so that its forms are equal. */
const stem = (word: string): string => (word.length > 5 ? word.slice(0, 5) : word)

const stemsOf = (text: string): Set<string> => new Set((text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).map(stem))

/** The sentence of a passage with the most different words of the query; among equals the first. The heading is shown beside it. */
export function bestSentence(text: string, heading: string | null, query: string): string {
  const wanted = stemsOf(query)
  let best = ''
  let most = -1
  for (const line of text.split('\n')) {
    if (line === heading && text !== heading) continue
    for (const { segment } of sentences.segment(line)) {
      const sentence = segment.trim()
      if (sentence === '') continue
      const count = [...stemsOf(sentence)].filter((word) => wanted.has(word)).length
      if (count > most) [best, most] = [sentence, count]
    }
  }
  return best.length <= quoteMax ? best : `${best.slice(0, quoteMax - 1).toWellFormed()}…`
}
