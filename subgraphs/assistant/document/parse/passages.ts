import { storableText } from '../../../kernel/json/storable-json.ts'
import { passageCharacters, passagesMax, passageWords } from '../bounds.ts'
import { ParseFailure, type Block } from './block.ts'

/** A part of a document that is found and quoted as one, with the place where it begins. */
export interface Passage {
  readonly text: string
  readonly page: number | null
  readonly heading: string | null
  readonly line: number | null
  readonly words: number
}

const wordsIn = (text: string): number => text.match(/\S+/gu)?.length ?? 0

/** Pieces of a long block, each with at most the words and characters of a passage; text without spaces is cut anywhere. */
function piecesOf(text: string): string[] {
  if (text.length <= passageCharacters && wordsIn(text) <= passageWords) return [text]
  const pieces: string[] = []
  let piece = ''
  let words = 0
  for (const word of text.match(/\S+/gu) ?? []) {
    for (let at = 0; at < word.length; at += passageCharacters) {
      const part = word.slice(at, at + passageCharacters)
      if (words >= passageWords || piece.length + part.length + 1 > passageCharacters) {
        if (piece !== '') pieces.push(piece)
        piece = ''
        words = 0
      }
      piece += piece === '' ? part : ` ${part}`
      words += 1
    }
  }
  if (piece !== '') pieces.push(piece)
  return pieces
}

type Part = Block & { readonly words: number }

const fits = (open: Part, { text, page, heading, words }: Part): boolean =>
  open.page === page &&
  open.heading === heading &&
  open.words + words <= passageWords &&
  open.text.length + text.length + 1 <= passageCharacters

function* partsOf(blocks: Iterable<Block>): Generator<Part> {
  for (const block of blocks) {
    if (block.text.trim() === '') continue
    for (const text of piecesOf(block.text.trimEnd())) yield { ...block, text, words: wordsIn(text) }
  }
}

/** Joins parts of the same page and heading. */
function* joined(parts: Iterable<Part>): Generator<Part> {
  let open = null as Part | null
  for (const part of parts) {
    if (open && fits(open, part)) {
      open = { ...open, text: `${open.text}\n${part.text}`, words: open.words + part.words }
      continue
    }
    if (open) yield open
    open = part
  }
  if (open) yield open
}

/** The passages of at most 250 words, each with one page and heading. */
export function passagesOf(blocks: Iterable<Block>): Passage[] {
  const passages: Passage[] = []
  for (const { text, page, heading, line, words } of joined(partsOf(blocks))) {
    if (!/[\p{L}\p{N}]/u.test(text)) continue
    if (passages.length === passagesMax)
      throw new ParseFailure(
        'TOO_LARGE',
        `The document has more than ${passagesMax} passages of ${passageWords} words.`,
      )
    const shown = heading === null ? null : storableText(heading)
    passages.push({ text: storableText(text), page, heading: shown, line, words })
  }
  if (passages.length === 0)
    throw new ParseFailure('EMPTY', 'The document contains no text; pictures of text are not read.')
  return passages
}
