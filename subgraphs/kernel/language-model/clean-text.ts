/** Decides whether a link of an answer leads to a record that a tool has returned. */
export type IsRecordLink = (url: string) => boolean

const image = /!\[([^\]]*)\]\([^)]*\)/g
const link = /\[([^\]]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)/g
const tag = /<\/?[a-z!?][^<>]*>/gi
const address =
  /(?:\b[a-z][a-z0-9+.-]*:\/\/|(?<![\w/])\/\/(?=\w)|\bwww\.|\b(?:javascript|data|mailto|vbscript):(?=\S))\S*/gi
const openTag = /<(?=[a-z/!?])/gi
/** What is left of links, images and definitions of links in Markdown. Only these signs make them: what an address is written with does not matter. */
const structure = /\[([^[\]]*)\]\(([^()\s<>]*)\)|\](?=[(:])|!(?=\[)/g
const roundsMax = 5

/**
 * The text without images, HTML and links, except links to records: a text that somebody planted in a record must not make an answer call
 * another server or lead a reader there. What arises from removing a part is removed too.
 */
export function cleanText(text: string, isRecordLink: IsRecordLink): string {
  let cleaned = text
  for (let round = 0; round < roundsMax; round++) {
    const before = cleaned
    cleaned = cleaned
      .replace(image, '$1')
      .replace(link, (_, label: string, url: string) => (isRecordLink(url) ? `[${label}](${url})` : label))
      .replace(tag, '')
      .replace(address, '(link removed)')
    if (cleaned === before) break
  }
  return cleaned
    .replace(openTag, '‹')
    .replace(structure, (whole, _label: string | undefined, url: string | undefined) =>
      url === undefined ? `${whole} ` : isRecordLink(url) ? whole : whole.replace('](', '] ('),
    )
}

/** Parts longer than this are passed on although they may be incomplete: without an address they do no harm. */
const heldMax = 2_000

/** Where the last part begins that more text may complete: a word, a tag, or the text of a link. */
function completeUntil(text: string): number {
  const lastSpace = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'), text.lastIndexOf('\t'))
  let end = lastSpace + 1
  for (const match of text.slice(0, end).matchAll(/!?\[|<(?=[a-z/!?])/gi)) {
    const rest = text.slice(match.index)
    const whole = match[0] === '<' ? /^<[^>]*>/.exec(rest) : /^!?\[[^\]]*\](?:\([^)]*\)|(?=[^(]))/.exec(rest)
    // Neither a part that is not complete nor one that ends later may be cut.
    if (!whole || match.index + whole[0].length > end) {
      end = match.index
      break
    }
  }
  return text.length - end > heldMax ? text.length : end
}

/** Cleans a text that arrives in parts. What it gives adds up to a clean text, whatever the parts are. */
export class CleanStream {
  #held = ''
  readonly #isRecordLink: IsRecordLink

  constructor(isRecordLink: IsRecordLink) {
    this.#isRecordLink = isRecordLink
  }

  push(part: string): string {
    this.#held += part
    const end = completeUntil(this.#held)
    const complete = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    return cleanText(complete, this.#isRecordLink)
  }

  end(): string {
    const rest = this.#held
    this.#held = ''
    return cleanText(rest, this.#isRecordLink)
  }
}
